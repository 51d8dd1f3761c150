-- Delete a game with every key of it, unless something has happened in it: its version is another.
--
-- KEYS
--   1-6        game, due, repeats, standings, public and idle of its status, as in commit.lua
--   7 and on   whatever else is of this game alone
-- ARGV
--   1  game   2  version   3  its member in public   4  its field in standings
--
-- Returns 1 if it was deleted.

local game, due, repeats, standings, public, idle = unpack(KEYS)
local id, version, member, standing = unpack(ARGV)

if redis.call('HGET', game, 'version') ~= version then
  return 0
end
redis.call('ZREM', due, id)
redis.call('HDEL', repeats, id)
redis.call('HINCRBY', standings, standing, -1)
redis.call('ZREM', public, member)
redis.call('ZREM', idle, id)
redis.call('DEL', game, unpack(KEYS, 7))
return 1
