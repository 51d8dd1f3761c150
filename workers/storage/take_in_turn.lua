-- Take the next job of the client whose turn it is, in the first line that has one; then it is the next client's turn.
--
-- KEYS  1 suspended, there while workers are to take none (`rq suspend`)
--       2... lines, sorted sets: client -> the turn that it has; a client's jobs are the list <line>:<client>
--
-- Returns the job, as JSON; nil if there is none.

if redis.call('EXISTS', KEYS[1]) == 1 then
  return false
end
for number = 2, #KEYS do
  local line = KEYS[number]
  local client, turn = unpack(redis.call('ZRANGE', line, 0, 0, 'WITHSCORES'))
  if client then
    local jobs = line .. ':' .. client
    local job = redis.call('LPOP', jobs)
    if redis.call('EXISTS', jobs) == 1 then
      redis.call('ZADD', line, turn + 1, client)
    else
      redis.call('ZREM', line, client)
    end
    return job
  end
end
return false
