-- Take from what a client may still ask for in this window: a share at a time, so that it seldom comes here.
--
-- KEYS  1 every token's hash -> its game   2 there if the token is a task's own   3 the budget of the token
--       4 the budget of the address
-- ARGV  1 hash of the token, or ''   2 the share, for whoever has a known token or sent none
--       3 milliseconds of a window
--
-- Returns {1 if the token pays, 0 if the address does; the share; all that has been taken; milliseconds left}.
-- An unknown token pays one from its address's budget: whoever invents tokens gains nothing by it, and a share for each
-- would cost those who live at the same address.

local sent = ARGV[1] ~= ''
local known = sent and (redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 or redis.call('EXISTS', KEYS[2]) == 1)
local budget, share = KEYS[4], tonumber(ARGV[2])
if known then
  budget = KEYS[3]
elseif sent then
  share = 1
end

local taken = redis.call('INCRBY', budget, share)
if taken == share then
  redis.call('PEXPIRE', budget, ARGV[3])
end
return {known and 1 or 0, share, taken, redis.call('PTTL', budget)}
