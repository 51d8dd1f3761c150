-- Enqueue the job of an AI's turn, unless it is queued already.
--
-- KEYS  1 queue, RQ's list of job ids   2 job, RQ's hash
-- ARGV  1 id of the job   2 TTL in seconds   3 its fairness group, or ''   4 prefix of the keys of jobs
--       5... its fields and values
--
-- Groups (creators of games) take turns: the first jobs of all groups come before the second job of any. Thus the jobs
-- of one group, however many, delay another group by one job only:
--
--    A has a1 a2 ... a99      B comes: a1 b1 a2 ... a99      C comes: a1 b1 c1 a2 ... a99
--
-- Of the queued hints (tasks.py) only the oldest comes before the job. Thus people at a table never wait for more than
-- one hint, and every hint is computed in the end.

local group, prefix = ARGV[3], ARGV[4]

-- MOST: maximum number of queued jobs whose groups are read. MOST_OWN: no further groups are read after this many jobs
-- of the new job's own group.
local MOST, MOST_OWN = 256, 16

-- Return the id before which the job comes, or nil for the end. The search goes in steps. It ends after a thousand
-- jobs, because a turn behind so many jobs waits long anyway.
local function place()
  local hints, asked, jobs = 0, 0, {[group] = 0}
  for from = 0, 999, 64 do
    local ids = redis.call('LRANGE', KEYS[1], from, from + 63)
    for _, id in ipairs(ids) do
      hints = hints + (string.find(id, '^task%-') and 1 or 0)
      if hints == 2 then
        return id
      end
      if asked < MOST and jobs[group] < MOST_OWN then
        asked = asked + 1
        local other = redis.call('HGET', prefix .. id, 'group')
        jobs[other] = (jobs[other] or 0) + 1
        if other and other ~= group and jobs[other] > jobs[group] + 1 then
          return id
        end
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
redis.call('HSET', KEYS[2], unpack(ARGV, 5))
redis.call('EXPIRE', KEYS[2], ARGV[2])
local before = place()
if before then
  redis.call('LINSERT', KEYS[1], 'BEFORE', before, ARGV[1])
else
  redis.call('RPUSH', KEYS[1], ARGV[1])
end
