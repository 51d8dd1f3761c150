-- Take the next job of the client at the head of a line, the first line that has one; who has more goes to its end.
--
-- KEYS  1 suspended, there while workers are to take none (`rq suspend`)
--       2... lines, sorted sets: client -> its place; a client's jobs are the list <line>:<client>
--
-- Returns the job, as JSON; nil if there is none.

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
