-- Return the time in epoch seconds: what *told* says, or else that of this server. All times to look at something are
-- by this clock, whatever the machine's that asks (store_time.py).
local function now_of(told)
  if told ~= '' then
    return tonumber(told)
  end
  local time = redis.call('TIME')
  return time[1] + time[2] / 1000000
end

-- Return how a time is stored, to the millisecond.
local function moment(seconds)
  return string.format('%.3f', seconds)
end

