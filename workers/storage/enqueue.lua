-- Put the job of an AI's turn into the queue, unless it is there.
--
-- KEYS  1 queue, RQ's list of job ids   2 job, RQ's hash
-- ARGV  1 id of the job   2 seconds to keep it   3... its fields and values
--
-- Of the hints that wait (tasks.py) the oldest alone goes first: then people never wait for more than one at a table,
-- nor for ever for a hint.

-- Return the id of the second hint that waits, or nil. It is looked for in steps, and not for ever: behind a thousand
-- jobs a turn waits long anyway.
local function second_hint()
  local hints = 0
  for from = 0, 999, 64 do
    local ids = redis.call('LRANGE', KEYS[1], from, from + 63)
    for _, id in ipairs(ids) do
      hints = hints + (string.find(id, '^task%-') and 1 or 0)
      if hints == 2 then
        return id
      end
    end
    if #ids < 64 then
      return nil
    end
  end
  return nil
end

if redis.call('EXISTS', KEYS[2]) == 1 then
  return
end
redis.call('HSET', KEYS[2], unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[2], ARGV[2])
local second = second_hint()
if second then
  redis.call('LINSERT', KEYS[1], 'BEFORE', second, ARGV[1])
else
  redis.call('RPUSH', KEYS[1], ARGV[1])
end
