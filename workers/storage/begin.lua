-- Write down a new task, unless the same one is under way in its slot; another that is there is cancelled.
--
-- KEYS  1 task   2 tasks, the sorted set of those to look after
--       and for a task with a slot   3 its slot: the task begun there last   4 that task; if there is none, KEYS[1]
-- ARGV  1 id   2 seconds to keep it   3 epoch seconds of the first look
--       4 kind   5 SHA-256 of its owner's token   6 what is asked for
--       7 the id of the task that was in the slot a moment ago, or "" for none
--
-- Returns the id of the task that is under way now, or nil if the slot has another task than ARGV[7] says.

if KEYS[3] then
  if (redis.call('GET', KEYS[3]) or '') ~= ARGV[7] then
    return false
  end
  local known = redis.call('HMGET', KEYS[4], 'status', 'owner', 'asked')
  if known[1] == 'queued' or known[1] == 'running' then
    if known[2] == ARGV[5] and known[3] == ARGV[6] then
      return ARGV[7]
    end
    redis.call('HSET', KEYS[4], 'status', 'cancelled')
    redis.call('ZREM', KEYS[2], ARGV[7])
  end
  redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2])
end

redis.call('HSET', KEYS[1], 'kind', ARGV[4], 'owner', ARGV[5], 'asked', ARGV[6], 'status', 'queued', 'progress', 0)
redis.call('EXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return ARGV[1]
