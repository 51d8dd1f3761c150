-- Create a task, unless an equal task of its slot is active or finished. Another active task of the slot is cancelled.
-- (now.lua is put before this.)
--
-- KEYS  1 task   2 tasks, the sorted set of the sweeper's next checks
--       and for a task with a slot   3 the slot, which has the id of its latest task   4 that task, or KEYS[1] if none
-- ARGV  1 epoch seconds, or "" for this server's clock
--       2 id   3 TTL in seconds   4 seconds until the first check
--       5 kind   6 SHA-256 of its owner's token   7 its parameters
--       8 its fairness group, or ""
--       9 the id that was read from the slot before, or "" for none
--
-- Returns the id of the new or the equal task, or nil if the slot has another id than ARGV[9].

local told, id, kept, first, kind, owner, asked, group, before = unpack(ARGV)

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
if group ~= '' then
  redis.call('HSET', KEYS[1], 'group', group)
end
redis.call('EXPIRE', KEYS[1], kept)
redis.call('ZADD', KEYS[2], moment(now_of(told) + first), id)
return id
