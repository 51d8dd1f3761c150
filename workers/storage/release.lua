-- Release a claim on an Idempotency-Key, unless it was replaced by a response or another claim. Wake a waiting request.
--
-- KEYS  1 claim or response   2 wake-ups, a list
-- ARGV  1 the claim, exactly as it was set   2 TTL of a wake-up in seconds

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('LPUSH', KEYS[2], '')
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
