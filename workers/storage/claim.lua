-- Claim an Idempotency-Key, unless it has a claim or an answer.
--
-- KEYS  1 answer
-- ARGV  1 the claim   2 milliseconds for which it holds   3 how long the digest is with which both begin
--
-- Returns what was there; nil if it is claimed now. A claim that is there is cut to its length: if the clock has been
-- set back it would hold as much longer.

local there = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET', 'PX', ARGV[2])
if there and string.sub(there, ARGV[3] + 1, ARGV[3] + 1) ~= ' ' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2], 'LT')
end
return there
