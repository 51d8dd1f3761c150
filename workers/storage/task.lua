-- Change a task, unless it has ended: what has ended stays as it is.
--
-- KEYS  1 task   2 tasks, the sorted set of those to look after
-- ARGV  1 id        2 status from now on, or "" as it is   3 epoch seconds of the next look, or "" for none
--       4 seconds to keep it
--       5 "repeat": count one more try; "fresh": count tries anew; else ""
--       6...        field, value, and so on; progress never goes back
--
-- Returns how often it has been repeated since it last got on, or nil if it has ended, or there is none.

local before = redis.call('HMGET', KEYS[1], 'status', 'progress')
if before[1] ~= 'queued' and before[1] ~= 'running' then
  return false
end

if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'status', ARGV[2])
end
for i = 6, #ARGV, 2 do
  if ARGV[i] ~= 'progress' or tonumber(ARGV[i + 1]) > tonumber(before[2]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  end
end
if ARGV[3] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
end
redis.call('EXPIRE', KEYS[1], ARGV[4])

if ARGV[5] == 'repeat' then
  return redis.call('HINCRBY', KEYS[1], 'repeats', 1)
end
if ARGV[5] == 'fresh' then
  redis.call('HDEL', KEYS[1], 'repeats')
end
return tonumber(redis.call('HGET', KEYS[1], 'repeats') or 0)
