-- Store a secret seed that waits for its game.
--
-- KEYS  1 commitment, hash: seed, and taker once it is taken
-- ARGV  1 seed   2 TTL in seconds

redis.call('HSET', KEYS[1], 'seed', ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
