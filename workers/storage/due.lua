-- Say when the sweeper is to look after a game again, if the game still is at the version that is meant and in the
-- outbox at all: what a commit has taken out stays out.
--
-- KEYS  1 game   2 due   3 repeats
-- ARGV  1 game id   2 version   3 epoch seconds, or "" to take the game out
--       4 "later": never sooner than it is now; "repeat": count a repeated job; else ""
--
-- Returns how many jobs have been repeated at this version, or nil if the game has moved on.

if redis.call('HGET', KEYS[1], 'version') ~= ARGV[2] then
  return false
end
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif ARGV[4] == 'later' then
  redis.call('ZADD', KEYS[2], 'XX', 'GT', ARGV[3], ARGV[1])
else
  redis.call('ZADD', KEYS[2], 'XX', ARGV[3], ARGV[1])
end
if ARGV[4] == 'repeat' then
  return redis.call('HINCRBY', KEYS[3], ARGV[1], 1)
end
return tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or 0)
