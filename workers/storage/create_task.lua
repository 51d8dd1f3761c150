-- Write down a new task, unless the same one is under way in its slot, or is done; another that is under way there is
-- cancelled. (now.lua stands before this.)
--
-- KEYS  1 task   2 tasks, the sorted set of those to look after
--       and for a task with a slot   3 its slot: the task begun there last   4 that task; if there is none, KEYS[1]
-- ARGV  1 epoch seconds, or "" for this server's
--       2 id   3 seconds to keep it   4 seconds until the first look
--       5 kind   6 SHA-256 of its owner's token   7 what is asked for
--       8 the id of the task that was in the slot a moment ago, or "" for none
--
-- Returns the id of the task that is under way now, or done, or nil if the slot has another task than ARGV[8] says.

local told, id, kept, first, kind, owner, asked, before = unpack(ARGV)

if KEYS[3] then
  if (redis.call('GET', KEYS[3]) or '') ~= before then
    return false
  end
  local known = redis.call('HMGET', KEYS[4], 'status', 'owner', 'asked')
  local is_under_way = known[1] == 'queued' or known[1] == 'running'
  if (is_under_way or known[1] == 'finished') and known[2] == owner and known[3] == asked then
    return before
  end
  if is_under_way then
    redis.call('HSET', KEYS[4], 'status', 'cancelled')
    redis.call('ZREM', KEYS[2], before)
  end
  redis.call('SET', KEYS[3], id, 'EX', kept)
end

redis.call('HSET', KEYS[1], 'kind', kind, 'owner', owner, 'asked', asked, 'status', 'queued', 'progress', 0)
redis.call('EXPIRE', KEYS[1], kept)
redis.call('ZADD', KEYS[2], moment(now_of(told) + first), id)
return id
