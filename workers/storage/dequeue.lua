-- Delete a finished job and dequeue the next one. This takes one round trip, and RQ would need three.
--
-- KEYS  1 queue, RQ's list of job ids   2 intermediate, the ids of the jobs that workers have dequeued
--       3 suspended, exists while workers must not dequeue jobs (`rq suspend`)
-- ARGV  1 id of the finished job   2 prefix of the keys of jobs
--
-- Returns the id of the dequeued job, or nil if there is none.

local queue, intermediate, suspended = unpack(KEYS)
local done, prefix = unpack(ARGV)

redis.call('DEL', prefix .. done)
redis.call('LREM', intermediate, 1, done)
if redis.call('EXISTS', suspended) == 1 then
  return false
end
return redis.call('LMOVE', queue, intermediate, 'LEFT', 'RIGHT')
