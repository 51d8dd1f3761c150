-- Commit one change of one game, or say why not. A script runs alone and its writes are kept together, so whoever
-- reads sees all of the change or nothing of it.
--
-- KEYS  1 game      hash: version, status, table
--       2 changes   stream of <version>-1: commit, events
--       3 record    list of entries
--       4 tokens    hash: holder -> SHA-256 of the token
--       5 tokens    of all games, hash: SHA-256 -> game
--       6 due       the outbox, sorted set: game -> epoch seconds when the sweeper is to look
--       7 repeats   hash: game -> jobs that the sweeper has repeated at this version
--       8 answer    string: <SHA-256 of the body>, then "?" <mark> for a claim, or " " <JSON> for an answer
--       9 baton     list: wakes one of those who wait for the answer
--       10-13       public games of the ruleset by status, sorted sets of equal scores
--       14 snapshots hash: version -> what a change may change of the table
--       15 queue     RQ's list of job ids            16 job     RQ's hash of the job for the turn that an AI owes
--       17 standings hash: <ruleset>/<status> -> how many games
--
-- ARGV  1 game id   2 expected version, -1 to create   3 new version   4 the commit's own random id
--       5 table     6 what changes of the table        7 events        8 entry of the record, or ""
--       9 due, or "" to take it out                    10 answer as in KEYS 8, or ""
--       11 seconds to keep the answer                  12 seconds to keep a baton
--       13 status   14 its place among KEYS            15 public member, or "" if the game is private
--       16 ruleset  17 how many of the next belong to the job: its id, or "" if there is none; its fields and values
--       ...         holder, SHA-256 of its token, and so on
--
-- Returns {"committed"}, {"stale", current version or -1 if there is no game}, or {"answered", value of KEYS 8}.

-- Return the id of the second hint that waits, or nil. It is looked for in steps, and not for ever: behind a thousand
-- jobs a turn waits long anyway.
local function second_hint(queue)
  local hints = 0
  for from = 0, 999, 64 do
    local ids = redis.call('LRANGE', queue, from, from + 63)
    for _, id in ipairs(ids) do
      hints = hints + (string.sub(id, 1, 5) == 'task-' and 1 or 0)
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

local new_id = ARGV[3] .. '-1'

if ARGV[10] ~= '' then
  local known = redis.call('GET', KEYS[8])
  if known and string.sub(known, 65, 65) == ' ' then
    return {'answered', known}
  end
end

local before = redis.call('HMGET', KEYS[1], 'version', 'status')
local version = before[1] or '-1'
if version ~= ARGV[2] then
  -- The connection may have broken before our own answer came through, and this be the second try: then the change
  -- that made ARGV[3] bears our id, whatever has happened since.
  local made = redis.call('XRANGE', KEYS[2], new_id, new_id)[1]
  if made and made[2][2] == ARGV[4] then
    return {'committed'}
  end
  return {'stale', tonumber(version)}
end

redis.call('HSET', KEYS[1], 'version', ARGV[3], 'status', ARGV[13], 'table', ARGV[5])
redis.call('XADD', KEYS[2], new_id, 'commit', ARGV[4], 'events', ARGV[7])
redis.call('HSET', KEYS[14], ARGV[3], ARGV[6])
if ARGV[8] ~= '' then
  redis.call('RPUSH', KEYS[3], ARGV[8])
end
for i = 18 + ARGV[17], #ARGV, 2 do
  redis.call('HSET', KEYS[4], ARGV[i], ARGV[i + 1])
  redis.call('HSET', KEYS[5], ARGV[i + 1], ARGV[1])
end

if ARGV[9] ~= '' then
  redis.call('ZADD', KEYS[6], ARGV[9], ARGV[1])
else
  redis.call('ZREM', KEYS[6], ARGV[1])
end
redis.call('HDEL', KEYS[7], ARGV[1])

if before[2] ~= ARGV[13] then
  redis.call('HINCRBY', KEYS[17], ARGV[16] .. '/' .. ARGV[13], 1)
  if before[2] then
    redis.call('HINCRBY', KEYS[17], ARGV[16] .. '/' .. before[2], -1)
  end
end
if ARGV[15] ~= '' and before[2] ~= ARGV[13] then
  for i = 10, 13 do
    redis.call('ZREM', KEYS[i], ARGV[15])
  end
  redis.call('ZADD', KEYS[tonumber(ARGV[14])], 0, ARGV[15])
end

if ARGV[10] ~= '' then
  redis.call('SET', KEYS[8], ARGV[10], 'EX', ARGV[11])
  redis.call('LPUSH', KEYS[9], '')
  redis.call('EXPIRE', KEYS[9], ARGV[12])
end

if ARGV[18] ~= '' then
  redis.call('HSET', KEYS[16], unpack(ARGV, 19, 17 + ARGV[17]))
  redis.call('EXPIRE', KEYS[16], 86400) -- the job of a worker that is killed is repeated under another id
  -- Of the hints that wait (tasks.py) the oldest alone goes first: then people never wait for more than one at a
  -- table, nor for ever for a hint.
  local second = second_hint(KEYS[15])
  if second then
    redis.call('LINSERT', KEYS[15], 'BEFORE', second, ARGV[18])
  else
    redis.call('RPUSH', KEYS[15], ARGV[18])
  end
end
return {'committed'}
