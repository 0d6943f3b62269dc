-- One rate window, shared by all who know its keys. Every change is one run of this script, so nobody sees half of one.
--
-- KEYS: slots whose answer is awaited, slots that cool down after their answer (both sorted by when they end), and the
--       gate: what 429s have closed, a hash of
--         opens    nothing goes out before
--         probe    after a 429 that did not say for how long: when the next one may go, while its answer is awaited alone
--         prober   whose answer that is
--         repeats  how many such 429s there were in a row
--         epoch    rises with each 429 that closes: those of slots taken before say nothing new
-- ARGV: what to do, the slot's name, the window's length, and what the command needs besides.
--
-- All times are milliseconds of this server's clock, so the clocks of its clients do not matter. Ends are rounded up.

local held, cooling, gate = KEYS[1], KEYS[2], KEYS[3]
local command, slot, window = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function put(set, span)
  redis.call('ZADD', set, now + 1 + span, slot)
  redis.call('PEXPIREAT', set, redis.call('ZRANGE', set, -1, -1, 'WITHSCORES')[2])
end

local function get(field)
  return tonumber(redis.call('HGET', gate, field) or nil)
end

-- Kept until no attempt can be under way any more that knows of it.
local function set(...)
  redis.call('HSET', gate, ...)
  local last = math.max(now, get('opens') or 0, get('probe') or 0)
  redis.call('PEXPIREAT', gate, last + 10 * window)
end

local function is_probe()
  return redis.call('HGET', gate, 'prober') == slot
end

-- How long until the window opens (0: it is open) and the next probe may go (-1: there is none), how many slots may
-- be answered any moment, and how long until each of the others ends.
local function outlook(opens, probe)
  local answer = {math.max(0, (opens or 0) - now), probe and math.max(0, probe - now) or -1, 0}
  for _, set in ipairs({held, cooling}) do
    local rows = redis.call('ZRANGE', set, 0, -1, 'WITHSCORES')
    for i = 2, #rows, 2 do
      local left = rows[i] - now
      if set == held and left > window then
        answer[3] = answer[3] + 1
      else
        answer[#answer + 1] = left
      end
    end
  end
  return answer
end

local commands = {}

-- Takes one of so many slots and answers the epoch, or answers how things stand.
-- The slot ends by itself when its holder dies. A holder that asks twice, because it missed the first answer, has one.
function commands.take(room, answer_within)
  local opens, probe = get('opens'), get('probe')
  if opens and opens <= now then
    -- Whatever was answered before counted in the window before.
    redis.call('ZREMRANGEBYSCORE', cooling, '-inf', opens + 1 + window)
    redis.call('HDEL', gate, 'opens')
    opens = nil
  end
  redis.call('ZREM', held, slot)
  redis.call('ZREMRANGEBYSCORE', held, '-inf', now)
  redis.call('ZREMRANGEBYSCORE', cooling, '-inf', now)
  local may_go = not opens and (not probe or probe <= now or is_probe())
  if may_go and redis.call('ZCARD', held) + redis.call('ZCARD', cooling) < room then
    if probe then
      set('probe', now + 1 + answer_within, 'prober', slot)
    end
    put(held, answer_within + window)
    return {get('epoch') or 0}
  end
  return outlook(opens, probe)
end

-- Answers 1 when that opened the window.
function commands.answered()
  redis.call('ZREM', held, slot)
  put(cooling, window)
  if is_probe() then
    redis.call('HDEL', gate, 'probe', 'prober', 'repeats')
    return {1}
  end
  return {0}
end

-- The service has counted it in so long, at the latest. What was known to end before is left as it is.
function commands.given_up(counted_in)
  local ends = tonumber(redis.call('ZSCORE', held, slot) or nil)
  if ends and ends > now + 1 + counted_in + window then
    redis.call('ZREM', held, slot)
    put(cooling, counted_in + window)
  end
  return {0}
end

function commands.unused()
  redis.call('ZREM', held, slot)
  if is_probe() then
    set('probe', now, 'prober', '')
  end
  return {0}
end

-- Others have used the window: it is closed for as long as the service said, for as long as is plausible, or (both 0)
-- for longer with each repeat. Only when the service said it is it known to be empty then; else a probe goes first.
function commands.throttled(epoch, said, plausible, stretch)
  redis.call('ZREM', held, slot)
  local is_news = epoch >= (get('epoch') or 0)
  if not is_news and said == 0 then
    return {0}
  end
  local repeats = get('repeats') or 0
  local wait = said > 0 and said or plausible
  if wait == 0 then
    wait = math.floor(math.min(1000 * 2 ^ repeats, math.max(window, 1000)) * stretch / 1000)
  end
  local opens = math.max(get('opens') or 0, now + 1 + wait)
  set('opens', opens)
  if is_news then
    redis.call('HDEL', gate, 'probe', 'prober', 'repeats')
    set('epoch', epoch + 1)
    if said == 0 then
      set('probe', opens, 'repeats', repeats + 1)
    end
  end
  return {0}
end

function commands.clear_throttle()
  redis.call('HDEL', gate, 'opens', 'probe', 'prober', 'repeats')
  return {0}
end

return commands[command](tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]))
