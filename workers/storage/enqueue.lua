-- Enqueue the job of an AI's turn, unless it is queued already, or the job of a hint.
--
-- KEYS  1 queue, RQ's list of job ids   2 job, RQ's hash
-- ARGV  1 id of the job   2 TTL in seconds   3 its fairness group, or ''   4 prefix of the keys of jobs
--       5... its fields and values
--
-- Groups take turns: the first jobs of all groups come before the second job of any. Thus the jobs of one group,
-- however many, delay another group by one job only. The group of a turn is that of the game's creator, the group of a
-- hint that of the client that asked for it. Turns are ordered among turns, hints among hints:
--
--    A has a1 a2 ... a99      B comes: a1 b1 a2 ... a99      C comes: a1 b1 c1 a2 ... a99
--
-- Of the queued hints (tasks.py) only the first comes before a turn. Thus people at a table never wait for more than
-- one hint, and every hint is computed in the end. A hint comes before no turn.

local group, prefix = ARGV[3], ARGV[4]

local function is_hint(id)
  return string.find(id, '^task%-') ~= nil
end

local enqueues_hint = is_hint(ARGV[1])

-- MOST: maximum number of queued jobs whose groups are read: of turns for a turn, of hints for a hint. MOST_OWN: no
-- further groups are read after this many jobs of the new job's own group.
local MOST, MOST_OWN = 256, 16

-- Return the id before which the job comes, or nil for the end. The search goes in steps. It ends after a thousand
-- jobs, because a job behind so many others waits long anyway.
local function place()
  local hints, asked, jobs = 0, 0, {[group] = 0}
  for from = 0, 999, 64 do
    local ids = redis.call('LRANGE', KEYS[1], from, from + 63)
    for _, id in ipairs(ids) do
      hints = hints + (is_hint(id) and 1 or 0)
      if hints == 2 and not enqueues_hint then
        return id
      end
      if is_hint(id) == enqueues_hint and asked < MOST and jobs[group] < MOST_OWN then
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

-- The hash of a lost job of a hint may still exist.
if not enqueues_hint and redis.call('EXISTS', KEYS[2]) == 1 then
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
