-- Count one more thing that is under way for a client, unless there are as many as may be.
--
-- KEYS  1 sorted set: what is under way -> epoch seconds when it was admitted
-- ARGV  1 id   2 how many there may be   3 epoch seconds   4 seconds to keep the set
--
-- Returns nil if it is counted now, or was before; else what is counted, and since when, as ZRANGE has it.

if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
    return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  end
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
redis.call('EXPIRE', KEYS[1], ARGV[4])
return false
