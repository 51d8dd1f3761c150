-- Give up a claim on an Idempotency-Key, unless it has become an answer or somebody else's, and wake one who waits.
--
-- KEYS  1 answer   2 wake-ups, a list
-- ARGV  1 the claim, exactly as it was set   2 seconds to keep a wake-up

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  redis.call('LPUSH', KEYS[2], '')
  redis.call('EXPIRE', KEYS[2], ARGV[2])
end
