-- Update a task, unless it has ended. (now.lua is put before this.)
--
-- KEYS  1 task   2 tasks, the sorted set of the sweeper's next checks
-- ARGV  1 epoch seconds, or "" for this server's clock
--       2 id        3 the new status, or "" to keep it   4 seconds until the next check, or "" for none
--       5 TTL in seconds
--       6 "repeat": count a retry; "fresh": reset the number of retries; else ""
--       7...        field, value, and so on; progress never decreases
--
-- Returns the number of retries since the last progress, or nil if the task has ended or doesn't exist.

local told, id, status, look, kept, tries = unpack(ARGV, 1, 6)

local before = redis.call('HMGET', KEYS[1], 'status', 'progress')
if before[1] ~= 'queued' and before[1] ~= 'running' then
  return false
end

if status ~= '' then
  redis.call('HSET', KEYS[1], 'status', status)
end
for i = 7, #ARGV, 2 do
  if ARGV[i] ~= 'progress' or tonumber(ARGV[i + 1]) > (tonumber(before[2]) or -1) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
if look == '' then
  redis.call('ZREM', KEYS[2], id)
else
  redis.call('ZADD', KEYS[2], moment(now_of(told) + look), id)
end
redis.call('EXPIRE', KEYS[1], kept)

if tries == 'repeat' then
  return redis.call('HINCRBY', KEYS[1], 'repeats', 1)
end
if tries == 'fresh' then
  redis.call('HDEL', KEYS[1], 'repeats')
end
return tonumber(redis.call('HGET', KEYS[1], 'repeats') or 0)
