-- Become the leading sweeper, or renew the lead. (now.lua is put before this.)
--
-- KEYS  1 sweeper: the name of the leading sweeper, which begins with its rank; it expires
--       2 swept: the times of the last sweep
-- ARGV  1 epoch seconds, or "" for this server's clock   2 name   3 milliseconds of the lease
--       4 epoch seconds, by the caller's clock
--
-- Returns as text {now, time of the last sweep, that time by the clock of the sweep's machine}. The last two are nil
-- without a sweep. Returns nil if another sweeper leads whose rank isn't lower. That leader's lease is then cut to
-- ARGV[3], because it would be longer after the server's clock was set back.

local function rank(name)
  return tonumber(string.match(name, '^(%d+)-') or 0)
end

local now = now_of(ARGV[1])
local swept, there = string.match(redis.call('GET', KEYS[2]) or '', '(%S+) (%S+)')

-- A waiting sweeper also writes the times for the leader, because the leader may be of a version that doesn't. After a
-- clock jump the times are not written, so that the next leader can detect the jump.
local leader = redis.call('GET', KEYS[1])
local waits = leader and leader ~= ARGV[2] and rank(leader) >= rank(ARGV[2])
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
