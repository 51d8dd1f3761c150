-- Delete a game with all its keys, unless it has changed and therefore has another version.
--
-- KEYS
--   1-6        game, due, repeats, standings, public and idle of its status, as in commit.lua
--   7 and on   all other keys that belong only to this game
-- ARGV
--   1  game   2  version   3  its member of public   4  its field of standings
--
-- Returns 1 if the game was deleted.

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
