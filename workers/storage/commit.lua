-- Commit one change of one game, or say why not. A script runs alone and its writes are kept together, so whoever
-- reads sees all of the change or nothing of it. (now.lua stands before this.)
--
-- KEYS, as `key.<name>` (commit_script.py has the names in their order), all in one slot; the last three aren't sent
-- where they aren't needed, or `key.game` stands in for one of them, and isn't touched as such
--   game              hash: version, status, table, opening, commit
--   journal           stream of <version>-1, from 1 on: commit, entry, keyframe if there is one
--   tokens            hash: holder -> SHA-256 of the token
--   due               the schedule, sorted set: game -> epoch seconds when the sweeper is to look
--   repeats           hash: game -> jobs that the sweeper has repeated at this version
--   standings         hash: <ruleset>/<status> -> how many games
--   public.<status>   public games of the ruleset by status, sorted sets of equal scores
--   idle.<status>     games by status, sorted sets: game -> epoch seconds since when nothing has happened in it
--   next_game         of the game before, string: the id of the game that follows it
--   answer            string: <SHA-256 of the body>, then "?" <mark> for a claim, or " " <JSON> for an answer
--   wake_ups          list: an item wakes one of those who wait for the answer
--
-- ARGV, as `arg.<name>`; "" stands for none, and for what isn't sent
--   id                of the game
--   expected          version, -1 to create
--   version           the new one
--   commit            the commit's own random id
--   status            the new one
--   ruleset           its name
--   table             the whole table
--   opening           how the game was opened, or "" but to create
--   entry             of the journal, or "" to create
--   keyframe          the table as it is then, or ""
--   now               epoch seconds, by the clock of the machine that asks
--   time              epoch seconds, or "" for this server's
--   due               seconds from now, by this server's clock, or "" to take the game out of the schedule
--   public_member     or "" if the game is private or unlisted
--   tokens            JSON, holder -> SHA-256 of its token, or "" if there is no new one
--   answer            as in KEYS, or "" without an Idempotency-Key
--   answer_seconds    to keep the answer
--   wake_up_seconds   to keep a wake-up
--   follows           the game before, or ""
--   base              the commit that the change is based on, or "" if the version alone is to be looked at
--
-- Returns {"committed"}, {"stale", current version or -1 if there is no game}, {"answered", value of key.answer},
-- {"followed", id of the game that already follows the one before}, {"incomplete"} if the journal is missing, or
-- {"damaged"} if a key has another type: then nothing is written.

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
  -- The connection may have broken before our own answer came through, and this be the second try: then the change
  -- that made this version bears our id, whatever has happened since. A game is known by its opening: its seed is ours.
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

-- The keys that are written below: a key of another type is found before the first write. Each question takes the store
-- about a microsecond; where it can, one asks for what is to be removed, which tells the type too.
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
    -- A journal whose beginning was lost isn't begun again: it would tell half of what happened.
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
