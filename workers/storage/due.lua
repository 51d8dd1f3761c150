-- Schedule the sweeper's next checks of games in one partition. An entry has no effect on a game that is at another
-- version, or that isn't in the schedule, because a commit has removed it. (now.lua is put before this.)
--
-- KEYS  1 due   2 repeats   3... the games, one for each five of ARGV from the third on
-- ARGV  1 epoch seconds, or "" for this server's clock   2 maximum interval between checks of an AI's turn, in seconds
--       and for each game
--         its id
--         version, or "" for any
--         seconds from now, or "" to remove the game from the schedule
--         "later": don't move the check to an earlier time; "repeat": count a retry, if the check is still due; or ""
--         extension of its deadline in seconds (workers/clock_jumps.py), or "" to keep it
--
-- Returns for each game the number of retries of this version's job, or nil if the entry had no effect.

local due, repeats = KEYS[1], KEYS[2]
local now, longest = now_of(ARGV[1]), tonumber(ARGV[2])

local function look(game, id, version, after, how, allowance)
  local known = redis.pcall('HGET', game, 'version')
  if type(known) == 'table' then
    known = false -- a game whose key is damaged may be rescheduled
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
