-- Count one more running item for a client, unless the client's limit is reached.
--
-- KEYS  1 sorted set: running item -> epoch seconds of its admission
-- ARGV  1 id of the item   2 the limit   3 epoch seconds   4 TTL of the set in seconds
--
-- Returns nil if the item is counted now or was counted before. Otherwise returns the counted items with their
-- times, as ZRANGE does.

if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then
    return redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  end
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
redis.call('EXPIRE', KEYS[1], ARGV[4])
return false
