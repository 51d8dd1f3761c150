-- Remember a game that somebody can't read, or only count those that there are. (now.lua stands before this.)
--
-- KEYS  1 sorted set: game -> epoch seconds when that was seen last
-- ARGV  1 epoch seconds, or "" for this server's   2 seconds for which it is remembered   3 game, or ""
--
-- Returns how many there are.

local now = now_of(ARGV[1])
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], moment(now), ARGV[3])
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', moment(now - ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], moment(now + 1), '+inf') -- the clock has been set back since
return redis.call('ZCARD', KEYS[1])
