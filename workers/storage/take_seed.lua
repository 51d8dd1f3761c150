-- Take a secret seed for one game: the first taker gets it, also in repeated requests.
--
-- KEYS  1 commitment, hash: seed, and taker once it is taken
-- ARGV  1 taker
--
-- Returns the seed; nil if it has expired, never existed, or was taken by another.

local seed = redis.call('HGET', KEYS[1], 'seed')
if not seed then
  return false
end
redis.call('HSETNX', KEYS[1], 'taker', ARGV[1])
return redis.call('HGET', KEYS[1], 'taker') == ARGV[1] and seed
