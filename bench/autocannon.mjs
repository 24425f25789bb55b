// Sends the requests of a file with autocannon and prints the result. A separate process, as the load is heavy.
import { readFile } from 'node:fs/promises';
import autocannon from 'autocannon';

const [address, file, connections, seconds] = process.argv.slice(2);
const requests = JSON.parse(await readFile(file, 'utf8'));

let clients = 0;
const result = await autocannon({
  url: address,
  connections: Number(connections),
  duration: Number(seconds),
  requests: [requests[0]],
  // Each connection has its own requests, so that no two send the same at once.
  setupClient(client) {
    const placeOf = (number) => Math.floor((number * requests.length) / Number(connections));
    client.setRequests(requests.slice(placeOf(clients), placeOf(clients + 1)));
    clients += 1;
  },
});

const line = {
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  notOk: result.non2xx,
  broken: result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(line)}\n`);
