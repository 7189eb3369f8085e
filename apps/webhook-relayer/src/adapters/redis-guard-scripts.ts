/**
 * The guards of one subscription as scripts, so that each decision is atomic over all instances. Time is the server's: the
 * clocks of instances may differ. KEYS, of one subscription and so on one node of a cluster:
 *   1 circuit  hash: state (open, half_open; absent = closed), failures, open_until, closed_at (while the ramp is on)
 *   2 permits  sorted set: token → when it expires
 *   3 probes   sorted set: the tokens given out half-open
 *   4 rate     hash: tokens, filled_at
 * Keys that are at rest expire or are removed.
 */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * ARGV: count, max concurrency, rate per second, token, permit's time to live, probes, ramp step in ms.
 * Out: permits granted (their tokens are `<token>:1` and so on), reason of a refusal or '', ms to wait.
 */
export const ADMIT = `${NOW}
local count, places, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local token, ttl, probes, step = ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local reason, wait = '', 0

local circuit = redis.call('HMGET', KEYS[1], 'state', 'open_until', 'closed_at')
local half_open = circuit[1] == 'half_open'
if circuit[1] == 'open' then
  local left = tonumber(circuit[2]) - now
  if left > 0 then return {0, 'CIRCUIT_OPEN', left} end
  redis.call('HSET', KEYS[1], 'state', 'half_open')
  redis.call('DEL', KEYS[3])
  half_open = true
end
local granted = count
if half_open then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
  local free = probes - redis.call('ZCARD', KEYS[3])
  if free <= 0 then return {0, 'CIRCUIT_OPEN', 1000} end
  if free < granted then granted, reason, wait = free, 'CIRCUIT_OPEN', 1000 end
end
if circuit[3] then
  local steps = math.floor((now - tonumber(circuit[3])) / step)
  local cap = probes * 2 ^ steps
  if steps >= 16 then redis.call('HDEL', KEYS[1], 'closed_at')
  else places, rate = math.min(places, cap), math.min(rate, cap * 1000 / step) end
end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local free = places - redis.call('ZCARD', KEYS[2])
if free <= 0 then return {0, 'CONCURRENCY', 100} end
if free < granted then granted, reason, wait = free, 'CONCURRENCY', 100 end

local bucket = redis.call('HMGET', KEYS[4], 'tokens', 'filled_at')
local burst = math.max(1, math.ceil(rate / 10))
local tokens = burst
if bucket[1] then
  tokens = math.min(burst, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * rate / 1000)
end
if tokens < 1 then return {0, 'RATE', math.ceil((1 - tokens) * 1000 / rate)} end
if math.floor(tokens) < granted then
  granted, reason = math.floor(tokens), 'RATE'
  wait = math.ceil((1 - tokens + granted) * 1000 / rate)
end

redis.call('HSET', KEYS[4], 'tokens', string.format('%.6f', tokens - granted), 'filled_at', now)
redis.call('PEXPIRE', KEYS[4], math.ceil(burst * 1000 / rate) + 1000)
for number = 1, granted do
  redis.call('ZADD', KEYS[2], now + ttl, token .. ':' .. number)
  if half_open then redis.call('ZADD', KEYS[3], now + ttl, token .. ':' .. number) end
end
redis.call('PEXPIRE', KEYS[2], ttl)
if half_open then redis.call('PEXPIRE', KEYS[3], ttl) end
return {granted, reason, wait}`;

/**
 * ARGV: failures that open the circuit, how long it stays open in ms, time to keep a circuit, then token and use for each
 * permit. A token that is not held any more, or never was, changes nothing. Out: state of the circuit.
 */
export const SETTLE = `${NOW}
local threshold, open_ms, keep = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HGET', KEYS[1], 'state') or 'closed'

local function open()
  state = 'open'
  redis.call('HSET', KEYS[1], 'state', 'open', 'open_until', now + open_ms)
  redis.call('HDEL', KEYS[1], 'closed_at')
  redis.call('DEL', KEYS[3])
end

local function succeed(was_probe)
  if state == 'closed' then
    redis.call('HDEL', KEYS[1], 'failures')
  elseif state == 'half_open' and was_probe then
    state = 'closed'
    redis.call('DEL', KEYS[1], KEYS[3])
    redis.call('HSET', KEYS[1], 'closed_at', now)
  end
end

local function fail(was_probe)
  if state == 'closed' then
    if redis.call('HINCRBY', KEYS[1], 'failures', 1) >= threshold then open() end
  elseif state == 'half_open' and was_probe then
    open()
  end
end

for at = 4, #ARGV, 2 do
  local token, use = ARGV[at], ARGV[at + 1]
  if redis.call('ZREM', KEYS[2], token) == 1 then
    local was_probe = redis.call('ZREM', KEYS[3], token) == 1
    if use == 'success' then succeed(was_probe)
    elseif use == 'failure' then fail(was_probe)
    elseif use == 'unused' and redis.call('EXISTS', KEYS[4]) == 1 then
      redis.call('HINCRBYFLOAT', KEYS[4], 'tokens', 1)
    end
  end
end
redis.call('PEXPIRE', KEYS[1], keep)
return state`;

/** Counts permits that were given out while Redis was away. ARGV: time to live in ms, then tokens. */
export const ADOPT = `${NOW}
for at = 2, #ARGV do redis.call('ZADD', KEYS[2], now + tonumber(ARGV[1]), ARGV[at]) end
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return 1`;

/** Out: state, ms for which it stays open. */
export const VIEW = `${NOW}
local circuit = redis.call('HMGET', KEYS[1], 'state', 'open_until')
if circuit[1] == 'open' then return {'open', math.max(0, tonumber(circuit[2]) - now)} end
return {circuit[1] or 'closed', 0}`;
