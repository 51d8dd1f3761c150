-- Enqueue jobs in a fair queue, and wake workers that wait for a job.
--
-- KEYS  1 queue, sorted set: client -> its position   2 the client's jobs, a list   3 wake-ups, a list
-- ARGV  1 client   2 "first": before its queued jobs, in reverse order; "last": after them   3... jobs, as JSON
--
-- A client that isn't in the queue is added at the queue's end.

local push = ARGV[2] == 'first' and 'LPUSH' or 'RPUSH'
for number = 3, #ARGV do
  redis.call(push, KEYS[2], ARGV[number])
end
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
  redis.call('ZADD', KEYS[1], last[2] and last[2] + 1 or 0, ARGV[1])
end

-- Each wake-up wakes one worker, and workers wait for one only if no job was queued. Therefore 64 wake-ups are enough.
local strokes = math.min(#ARGV - 2, 64 - redis.call('LLEN', KEYS[3]))
for _ = 1, strokes do
  redis.call('RPUSH', KEYS[3], '')
end
