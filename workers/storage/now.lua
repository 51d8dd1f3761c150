-- Return the time in epoch seconds: *told*, or the time of this server if *told* is "". All times of checks are by the
-- clock of this server, not by that of the calling machine (store_time.py).
local function now_of(told)
  if told ~= '' then
    return tonumber(told)
  end
  local time = redis.call('TIME')
  return time[1] + time[2] / 1000000
end

-- Return a time in epoch seconds as the text that is stored, with three decimals.
local function moment(seconds)
  return string.format('%.3f', seconds)
end

