-- Record a game that a process can't read, or only count the recorded games. (now.lua is put before this.)
--
-- KEYS  1 sorted set: game -> epoch seconds of the last failed attempt
-- ARGV  1 epoch seconds, or "" for this server's clock   2 TTL of an entry in seconds   3 game, or ""
--
-- Returns the number of recorded games.

local now = now_of(ARGV[1])
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], moment(now), ARGV[3])
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', moment(now - ARGV[2]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], moment(now + 1), '+inf') -- these were recorded before the clock was set back
return redis.call('ZCARD', KEYS[1])
