-- Sends the requests of a file one after another, whatever the connection, and again from the beginning.
-- The file holds whole HTTP requests, each after a line with its length in bytes.

local threads = 0

function setup(thread)
  thread:set("thread_number", threads)
  threads = threads + 1
end

local requests = {}
local next_request = 0

function init(args)
  local file = assert(io.open(args[1], "rb"))
  while true do
    local length = file:read("*l")
    if not length then break end
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
  -- Threads begin at different places, so that they do not ask the same at the same time.
  next_request = math.floor(thread_number * #requests / tonumber(args[2]))
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"notOk":%d,"broken":%d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
