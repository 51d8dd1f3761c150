-- Create a task, unless an equal task of its slot is active or finished. Another active task of the slot is cancelled.
-- (now.lua is put before this.)
--
-- KEYS  1 task   2 tasks, the sorted set of the sweeper's next checks
--       and for a task with a slot
--       3 the slot, which has the id of its latest task   4 that task, or KEYS[1] if none
--       5 the slot's key for equal tasks, which has the id of the latest of them   6 that task, or KEYS[1] if none
-- ARGV  1 epoch seconds, or "" for this server's clock
--       2 id   3 TTL in seconds   4 seconds until the first check
--       5 kind   6 SHA-256 of its owner's token   7 its parameters
--       8 its fairness group, or ""
--       9, 10 the ids that were read from KEYS[3] and KEYS[5] before, each "" for none
--
-- Returns the id of the new or the equal task, or nil if one of these keys has another id than was read.

local told, id, kept, first, kind, owner, asked, group, latest, equal = unpack(ARGV)

if KEYS[3] then
  if (redis.call('GET', KEYS[3]) or '') ~= latest or (redis.call('GET', KEYS[5]) or '') ~= equal then
    return false
  end
  local is_active = {queued = true, running = true}
  local status = redis.call('HGET', KEYS[6], 'status')
  local chosen = (is_active[status] or status == 'finished') and equal or id
  if latest ~= chosen and is_active[redis.call('HGET', KEYS[4], 'status')] then
    redis.call('HSET', KEYS[4], 'status', 'cancelled')
    redis.call('ZREM', KEYS[2], latest)
  end
  redis.call('SET', KEYS[3], chosen, 'EX', kept)
  redis.call('SET', KEYS[5], chosen, 'EX', kept)
  if chosen == equal then
    return equal
  end
end

redis.call('HSET', KEYS[1], 'kind', kind, 'owner', owner, 'asked', asked, 'status', 'queued', 'progress', 0)
if group ~= '' then
  redis.call('HSET', KEYS[1], 'group', group)
end
redis.call('EXPIRE', KEYS[1], kept)
redis.call('ZADD', KEYS[2], moment(now_of(told) + first), id)
return id
