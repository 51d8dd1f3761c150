-- Commit one change of one game, or return the reason why not. Scripts run one at a time, and their writes are atomic:
-- readers see either the whole change or nothing of it. (now.lua is put before this.)
--
-- KEYS, as `key.<name>` (commit_arguments.py has the order of the names), all in one slot. The last three are left out
-- of most moves. If they are sent, `key.game` stands in for each that isn't needed, and the script doesn't access it
-- under that name.
--   game              hash: version, status, table, opening, commit
--   journal           stream of <version>-1, from 1 on: commit, entry, perhaps keyframe
--   tokens            hash: holder -> SHA-256 of the token
--   due               the schedule, sorted set: game -> epoch seconds of the sweeper's next check
--   repeats           hash: game -> number of retries of the job of its current version
--   standings         hash: <ruleset>/<status> -> number of games
--   public.<status>   sorted sets, all scores equal: the public games of the ruleset by status
--   idle.<status>     sorted sets: game with this status -> epoch seconds of its last change
--   next_game         of the previous game, string: the id of its rematch
--   answer            string: <SHA-256 of the body>, then "?" <mark> for a claim, or " " <JSON> for a response
--   wake_ups          list: an item wakes a request that waits for the response
--
-- ARGV, as `arg.<name>`; "" stands for no value, and for values that aren't sent
--   id                of the game
--   expected          the version before, -1 to create the game
--   version           the new version
--   commit            the random id of this commit
--   status            the new status
--   ruleset           its name
--   table             the whole table
--   opening           the encoded opening, "" unless the game is created
--   entry             the journal entry, "" if the game is created
--   keyframe          the table as a keyframe, or ""
--   now               epoch seconds, by the caller's clock
--   time              epoch seconds, or "" for this server's clock
--   due               seconds until the sweeper's check, or "" to remove the game from the schedule
--   public_member     "" if the game is private or unlisted
--   tokens            JSON: holder -> SHA-256 of the token, or "" if there is no new token
--   answer            value of key.answer, or "" without an Idempotency-Key
--   answer_seconds    TTL of the response
--   wake_up_seconds   TTL of a wake-up
--   follows           the previous game, if this commit creates its rematch, or ""
--   base              the commit that the change is based on, or "" to compare only the version
--
-- Returns {"committed"}, {"stale", current version or -1 if there is no game}, {"answered", value of key.answer},
-- {"followed", id of the existing rematch}, {"incomplete"} if the journal is missing, or {"damaged"} if a key has
-- another type. Only {"committed"} means that the change was written.

local new_id = arg.version .. '-1'

if arg.answer ~= '' then
  local known = redis.call('GET', key.answer)
  if known and string.sub(known, 65, 65) == ' ' then
    return {'answered', known}
  end
end

if arg.follows ~= '' then
  local follows = redis.call('GET', key.next_game)
  if follows and follows ~= arg.id then
    return {'followed', follows}
  end
end

local before = redis.call('HMGET', key.game, 'version', 'status', 'commit')
local version, status = before[1] or '-1', before[2]
if not tonumber(version) or (status and not key['idle.' .. status]) then
  return {'damaged'}
end
if version ~= arg.expected or (arg.base ~= '' and before[3] ~= arg.base) then
  -- This call may repeat a call whose reply was lost when the connection broke. Then the change to this version has our
  -- commit id, whatever has happened since. A created game is recognised by its opening, which has our seed.
  if arg.opening ~= '' then
    if redis.call('HGET', key.game, 'opening') == arg.opening then
      return {'committed'}
    end
  else
    local made = redis.call('XRANGE', key.journal, new_id, new_id)[1]
    if made and made[2][2] == arg.commit then
      return {'committed'}
    end
  end
  return {'stale', tonumber(version)}
end

-- Types of the keys that are written below are checked before the first write. Each check takes the server about a
-- microsecond. Where possible the value to be removed is read instead, which checks the type too.
local function has_type(name, expected)
  local found = redis.call('TYPE', key[name]).ok
  return found == expected or found == 'none'
end

local function is_wrong_type(reply)
  return type(reply) == 'table' and reply.err and string.sub(reply.err, 1, 9) == 'WRONGTYPE'
end

local changes_status = status ~= arg.status
local due_before = redis.pcall('ZSCORE', key.due, arg.id)
local repeats_before = redis.pcall('HGET', key.repeats, arg.id)
if is_wrong_type(due_before) or is_wrong_type(repeats_before) or not has_type('idle.' .. arg.status, 'zset')
    or (arg.tokens ~= '' and not has_type('tokens', 'hash'))
    or (changes_status and not (has_type('standings', 'hash') and has_type('public.' .. arg.status, 'zset')))
    or (changes_status and status
      and not (has_type('idle.' .. status, 'zset') and has_type('public.' .. status, 'zset'))) then
  return {'damaged'}
end

if arg.opening == '' then
  local entry = {'commit', arg.commit, 'entry', arg.entry}
  if arg.keyframe ~= '' then
    entry[5], entry[6] = 'keyframe', arg.keyframe
  end
  local added
  if arg.version == '1' then
    added = redis.pcall('XADD', key.journal, new_id, unpack(entry))
  else
    added = redis.pcall('XADD', key.journal, 'NOMKSTREAM', new_id, unpack(entry))
  end
  if is_wrong_type(added) then
    return {'damaged'}
  elseif added and added.err then
    return added
  elseif not added then
    -- A journal whose beginning was lost is not continued, because it would be incomplete.
    return {'incomplete'}
  end
end
redis.call('HSET', key.game, 'version', arg.version, 'status', arg.status, 'table', arg.table, 'commit', arg.commit)
if arg.opening ~= '' then
  redis.call('HSET', key.game, 'opening', arg.opening)
end
if arg.follows ~= '' then
  redis.call('SET', key.next_game, arg.id)
end
if arg.tokens ~= '' then
  for holder, hash in pairs(cjson.decode(arg.tokens)) do
    redis.call('HSET', key.tokens, holder, hash)
  end
end

if arg.due ~= '' then
  redis.call('ZADD', key.due, moment(now_of(arg.time) + arg.due), arg.id)
elseif due_before then
  redis.call('ZREM', key.due, arg.id)
end
if repeats_before then
  redis.call('HDEL', key.repeats, arg.id)
end

redis.call('ZADD', key['idle.' .. arg.status], arg.now, arg.id)
if changes_status then
  if status then
    redis.call('ZREM', key['idle.' .. status], arg.id)
  end
  redis.call('HINCRBY', key.standings, arg.ruleset .. '/' .. arg.status, 1)
  if status then
    redis.call('HINCRBY', key.standings, arg.ruleset .. '/' .. status, -1)
  end
  if arg.public_member ~= '' then
    if status then
      redis.call('ZREM', key['public.' .. status], arg.public_member)
    end
    redis.call('ZADD', key['public.' .. arg.status], 0, arg.public_member)
  end
end

if arg.answer ~= '' then
  redis.call('SET', key.answer, arg.answer, 'EX', arg.answer_seconds)
  redis.call('LPUSH', key.wake_ups, '')
  redis.call('EXPIRE', key.wake_ups, arg.wake_up_seconds)
end
return {'committed'}
