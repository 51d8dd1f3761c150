-- Put jobs into a line, and wake workers that wait for some.
--
-- KEYS  1 line, sorted set: client -> its place   2 the client's jobs, a list   3 bell, a list
-- ARGV  1 client   2 "first": before its other jobs, the last one foremost; "last": behind them   3... jobs, as JSON
--
-- Who isn't in the line comes to its end.

local push = ARGV[2] == 'first' and 'LPUSH' or 'RPUSH'
for number = 3, #ARGV do
  redis.call(push, KEYS[2], ARGV[number])
end
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
  redis.call('ZADD', KEYS[1], last[2] and last[2] + 1 or 0, ARGV[1])
end

-- Whoever waits for the bell has found no job: more strokes than there may be workers wake nobody.
local strokes = math.min(#ARGV - 2, 64 - redis.call('LLEN', KEYS[3]))
for _ = 1, strokes do
  redis.call('RPUSH', KEYS[3], '')
end
