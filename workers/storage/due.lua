-- Say when the sweeper is to look after games of one partition again. A game is left alone that has moved on from the
-- version that is meant, or isn't in the outbox: what a commit has taken out stays out.
--
-- KEYS  1 due   2 repeats   3... the games, one for each four of ARGV from the second on
-- ARGV  1 epoch seconds: which games are overdue, as the sweeper sees it
--       and for each game
--         its id
--         version, or "" for any
--         epoch seconds, or "" to take the game out
--         "later": never sooner than it is now; "repeat": count a repeated job, if the game still is overdue; else ""
--
-- Returns for each game how many jobs have been repeated at this version, or nil if it was left alone.

local due, repeats, overdue = KEYS[1], KEYS[2], tonumber(ARGV[1])

local function look(game, id, version, when, how)
  if version ~= '' and redis.call('HGET', game, 'version') ~= version then
    return false
  end
  if how == 'repeat' then
    local now_due = redis.call('ZSCORE', due, id)
    if not now_due or tonumber(now_due) > overdue then
      return false
    end
    redis.call('ZADD', due, when, id)
    return redis.call('HINCRBY', repeats, id, 1)
  end
  if when == '' then
    redis.call('ZREM', due, id)
  elseif how == 'later' then
    redis.call('ZADD', due, 'XX', 'GT', when, id)
  else
    redis.call('ZADD', due, 'XX', when, id)
  end
  return tonumber(redis.call('HGET', repeats, id) or 0)
end

local counted = {}
for number = 3, #KEYS do
  local from = 4 * number - 10
  counted[number - 2] = look(KEYS[number], unpack(ARGV, from, from + 3))
end
return counted
