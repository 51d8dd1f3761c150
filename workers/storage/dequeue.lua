-- Forget a job that was done, and take the next one that waits: one round trip, where RQ has three.
--
-- KEYS  1 queue, RQ's list of job ids   2 intermediate, the ids of the jobs that workers have taken
--       3 suspended, there while workers are to take none (`rq suspend`)
-- ARGV  1 id of the job that was done   2 how the keys of jobs begin
--
-- Returns the id of the job that was taken; nil if there is none.

local queue, intermediate, suspended = unpack(KEYS)
local done, prefix = unpack(ARGV)

redis.call('DEL', prefix .. done)
redis.call('LREM', intermediate, 1, done)
if redis.call('EXISTS', suspended) == 1 then
  return false
end
return redis.call('LMOVE', queue, intermediate, 'LEFT', 'RIGHT')
