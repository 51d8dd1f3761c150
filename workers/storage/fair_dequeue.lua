-- Dequeue the next job of the client at the head of the first queue that has a client. If the client has more jobs, it
-- goes to the end of that queue.
--
-- KEYS  1 suspended, exists while workers must not dequeue jobs (`rq suspend`)
--       2... queues, sorted sets: client -> its position; a client's jobs are in the list <queue>:<client>
--
-- Returns the job as JSON, or nil if there is none.

if redis.call('EXISTS', KEYS[1]) == 1 then
  return false
end
for number = 2, #KEYS do
  local line = KEYS[number]
  local client = redis.call('ZRANGE', line, 0, 0)[1]
  if client then
    local jobs = line .. ':' .. client
    local job = redis.call('LPOP', jobs)
    if redis.call('EXISTS', jobs) == 1 then
      redis.call('ZADD', line, redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')[2] + 1, client)
    else
      redis.call('ZREM', line, client)
    end
    return job
  end
end
return false
