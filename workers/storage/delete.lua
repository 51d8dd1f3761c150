-- Delete a game with every key of it, unless something has happened in it: its version is another.
--
-- KEYS
--   1-8        game, tokens, all_tokens, due, repeats, standings, public and idle of its status, as in commit.lua
--   9 and on   whatever else is of this game alone
-- ARGV
--   1  game   2  version   3  its member in public   4  its field in standings
--
-- Returns 1 if it was deleted.

local game, tokens, all_tokens, due, repeats, standings, public, idle = unpack(KEYS)
local id, version, member, standing = unpack(ARGV)

if redis.call('HGET', game, 'version') ~= version then
  return 0
end
for _, hash in ipairs(redis.call('HVALS', tokens)) do
  redis.call('HDEL', all_tokens, hash)
end
redis.call('ZREM', due, id)
redis.call('HDEL', repeats, id)
redis.call('HINCRBY', standings, standing, -1)
redis.call('ZREM', public, member)
redis.call('ZREM', idle, id)
redis.call('DEL', game, tokens, unpack(KEYS, 9))
return 1
