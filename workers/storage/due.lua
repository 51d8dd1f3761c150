-- Say when the sweeper is to look after games of one partition again. A game is left alone that has moved on from the
-- version that is meant, or isn't in the schedule: what a commit has taken out stays out. (now.lua stands before this.)
--
-- KEYS  1 due   2 repeats   3... the games, one for each five of ARGV from the third on
-- ARGV  1 epoch seconds, or "" for this server's   2 the longest that an AI's turn is left alone, in seconds
--       and for each game
--         its id
--         version, or "" for any
--         seconds from now, or "" to take the game out
--         "later": never sooner than it is now; "repeat": count a repeated job, if the game still is overdue; else ""
--         seconds by which its deadline is later than it says (workers/clock_jumps.py), or "" as it was
--
-- Returns for each game how many jobs have been repeated at this version, or nil if it was left alone.

local due, repeats = KEYS[1], KEYS[2]
local now, longest = now_of(ARGV[1]), tonumber(ARGV[2])

local function look(game, id, version, after, how, allowance)
  local known = redis.pcall('HGET', game, 'version')
  if type(known) == 'table' then
    known = false -- the key is damaged: it may be put off
  end
  if version ~= '' and known ~= version then
    return false
  end
  if allowance ~= '' and known then
    redis.call('HSET', game, 'allowance', known .. ':' .. allowance)
  end
  local now_due = tonumber(redis.call('ZSCORE', due, id) or nil)
  if how == 'repeat' then
    if not now_due or now_due > now then
      return false
    end
    redis.call('ZADD', due, moment(now + after), id)
    return redis.call('HINCRBY', repeats, id, 1)
  end
  if after == '' then
    redis.call('ZREM', due, id)
  elseif how == 'later' and now_due and now_due <= now + longest then
    redis.call('ZADD', due, 'XX', 'GT', moment(now + after), id)
  else
    redis.call('ZADD', due, 'XX', moment(now + after), id)
  end
  return tonumber(redis.call('HGET', repeats, id) or 0)
end

local counted = {}
for number = 3, #KEYS do
  local from = 5 * number - 12
  counted[number - 2] = look(KEYS[number], unpack(ARGV, from, from + 4))
end
return counted
