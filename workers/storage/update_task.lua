-- Change a task, unless it has ended: what has ended stays as it is. (now.lua stands before this.)
--
-- KEYS  1 task   2 tasks, the sorted set of those to look after
-- ARGV  1 epoch seconds, or "" for this server's
--       2 id        3 status from now on, or "" as it is   4 seconds until the next look, or "" for none
--       5 seconds to keep it
--       6 "repeat": count one more try; "fresh": count tries anew; else ""
--       7...        field, value, and so on; progress never goes back
--
-- Returns how often it has been repeated since it last got on, or nil if it has ended, or there is none.

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
