-- Claim an Idempotency-Key, unless it has a claim or a response.
--
-- KEYS  1 claim or response
-- ARGV  1 the claim   2 its TTL in milliseconds   3 length of the digest with which claims and responses begin
--
-- Returns the value that was found, or nil if the key is claimed now. The TTL of a found claim is cut to ARGV[2],
-- because it would be longer after the server's clock was set back.

local there = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if there and string.sub(there, ARGV[3] + 1, ARGV[3] + 1) ~= ' ' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2], 'LT')
end
return there
