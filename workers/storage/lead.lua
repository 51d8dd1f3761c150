-- Become the one sweeper that works, or stay it. (now.lua stands before this.)
--
-- KEYS  1 sweeper: the name of the one that works; it expires   2 swept: when one has worked last
-- ARGV  1 epoch seconds, or "" for this server's   2 name   3 milliseconds of the lease
--       4 epoch seconds, by the clock of the machine that asks
--
-- Returns {now, when one has worked last, and when by its machine's clock, both nil if never}, as text; nil if another
-- works. Its lease is cut to its length: if the clock has been set back it would end as much later.

local now = now_of(ARGV[1])
local swept, there = string.match(redis.call('GET', KEYS[2]) or '', '(%S+) (%S+)')

-- Who waits says it for the one that works, which may be of a version that doesn't; but not past a clock that has
-- jumped: whoever takes over is to see that.
local leader = redis.call('GET', KEYS[1])
local waits = leader and leader ~= ARGV[2]
local since = swept and math.abs(now - swept)
if not waits or not since or (since >= 1 and since < 3) then
  redis.call('SET', KEYS[2], moment(now) .. ' ' .. ARGV[4])
end
if waits then
  redis.call('PEXPIRE', KEYS[1], ARGV[3], 'LT')
  return false
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return {moment(now), swept or false, there or false}
