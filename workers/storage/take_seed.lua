-- Take a secret seed for one game. Only the first taker gets the seed, also in repeated requests.
--
-- KEYS  1 commitment, hash: seed, and taker once it is taken
-- ARGV  1 taker
--
-- Returns the seed, or nil if it has expired, never existed, or was taken by another taker.

local seed = redis.call('HGET', KEYS[1], 'seed')
if not seed then
  return false
end
redis.call('HSETNX', KEYS[1], 'taker', ARGV[1])
return redis.call('HGET', KEYS[1], 'taker') == ARGV[1] and seed
