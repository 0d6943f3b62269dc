-- One rate window, shared by all who know its keys. Every change is one run of this script, so nobody sees half of one.
--
-- KEYS: slots whose answer is awaited, slots that cool down after their answer (both sorted by when they end), and the
--       moment the window opens after a 429.
-- ARGV: what to do, the slot's name, the window's length, and what the deed needs besides.
--
-- All times are milliseconds of this server's clock, so the clocks of its clients do not matter. Ends are rounded up.

local held, cooling, closed = KEYS[1], KEYS[2], KEYS[3]
local deed, slot, window = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function put(set, span)
  redis.call('ZADD', set, now + 1 + span, slot)
  redis.call('PEXPIREAT', set, redis.call('ZRANGE', set, -1, -1, 'WITHSCORES')[2])
end

local function first_end(set)
  return tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]) or math.huge
end

local function opening()
  return tonumber(redis.call('GET', closed) or 0)
end

local deeds = {}

-- Takes the slot and answers 0, or answers how long to wait before it is worth asking again.
-- The slot ends by itself when its holder dies. A holder that asks twice, because it missed the first answer, has one.
function deeds.take(limit, answer_within)
  if opening() > now then
    return opening() - now
  end
  redis.call('ZREM', held, slot)
  redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', cooling, '-inf', now)
  local awaited = redis.call('ZCARD', held)
  if awaited + redis.call('ZCARD', cooling) < limit then
    put(held, answer_within + window)
    return 0
  end
  local free = math.min(first_end(held), first_end(cooling))
  -- An answer that arrives from now on frees its slot one window later.
  if awaited > 0 then
    free = math.min(free, now + window)
  end
  return free - now
end

function deeds.answered()
  redis.call('ZREM', held, slot)
  put(cooling, window)
  return 0
end

function deeds.unused()
  redis.call('ZREM', held, slot)
  return 0
end

-- Others have used the window: it is closed, and empty when it opens.
function deeds.throttled(retry_after)
  redis.call('ZREM', held, slot)
  redis.call('DEL', cooling)
  local opens = math.max(opening(), now + 1 + retry_after)
  redis.call('SET', closed, opens, 'PX', opens - now)
  return 0
end

return deeds[deed](tonumber(ARGV[4]), tonumber(ARGV[5]))
