-- Forget a job that was done, and take the next one that waits: one round trip, where RQ has four.
--
-- KEYS  1 queue, RQ's list of job ids   2 intermediate, the ids of the jobs that workers have taken
--       3 suspended, there while workers are to take none (`rq suspend`)
-- ARGV  1 id of the job that was done   2 how the keys of jobs begin
--
-- Returns the id of the job that was taken, and its fields and values; nil if there is none.

local queue, intermediate, suspended = unpack(KEYS)
local done, prefix = unpack(ARGV)

redis.call('DEL', prefix .. done)
redis.call('LREM', intermediate, 1, done)
if redis.call('EXISTS', suspended) == 1 then
  return false
end
while true do
  local id = redis.call('LMOVE', queue, intermediate, 'LEFT', 'RIGHT')
  if not id then
    return false
  end
  local job = redis.call('HGETALL', prefix .. id)
  if #job > 0 then
    return {id, job}
  end
  redis.call('LREM', intermediate, 1, id)
end
