-- Return the newest public games of one partition, unordered: up to ARGV[2] of each index, below ARGV[1].
--
-- KEYS  the indexes of one partition
-- ARGV  1 the upper bound, as an argument of ZREVRANGEBYLEX   2 maximum number of games per index

local found = {}
if redis.call('EXISTS', unpack(KEYS)) == 0 then
  return found  -- most of many partitions have no public games, and one call is quicker than one for each index
end
for _, index in ipairs(KEYS) do
  for _, member in ipairs(redis.call('ZREVRANGEBYLEX', index, ARGV[1], '-', 'LIMIT', 0, ARGV[2])) do
    found[#found + 1] = member
  end
end
return found
