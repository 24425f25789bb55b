// node bench/telemetry.mjs: what a request pays for its identifier, its line, its figures and its trace. CPU time of the whole
// process, the writing of the lines included; no server, no database.
import { openSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { requestIdOf } from '../dist/common/request.js';
import { LogDestination } from '../dist/telemetry/logging/log-destination.js';
import { RequestLog } from '../dist/telemetry/logging/request-log.js';
import { Telemetry } from '../dist/telemetry/telemetry.js';
import { startTracing } from '../dist/telemetry/tracing/tracing.js';

const REQUESTS = 400_000;
/** What arrives in a turn of the event loop at full load, and shares its two statements. */
const TOGETHER = 32;

const decision = {
  windows: [
    { policy: 'minute', limit: 1000, windowSeconds: 60, remaining: 999, resetAtMs: 0 },
    { policy: 'day', limit: 100_000, windowSeconds: 86_400, remaining: 99_999, resetAtMs: 0 },
  ],
  caller: { keyId: 4711n, planId: 'business' },
};
const routeOptions = { url: '/v1/pets', config: { operation: 'listPets' } };
const reply = { statusCode: 200, elapsedTime: 4.2, raw: { destroyed: false } };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

const requestWith = (headers) => ({
  id: '',
  method: 'GET',
  url: '/v1/pets?limit=20',
  headers,
  raw: { httpVersion: '1.1' },
  routeOptions,
  decision,
  clientAddress: '192.0.2.1',
  failure: null,
});

/** Nanoseconds of CPU a request, the best of five rounds: another program may disturb one. */
async function cost(telemetry, headers) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    for (let done = 0; done < REQUESTS / 5; done += TOGETHER) {
      const requests = Array.from({ length: TOGETHER }, () => requestWith(headers));
      if (telemetry !== undefined) serve(telemetry, requests);
      await turn();
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, ((user + system) * 1000) / (REQUESTS / 5));
  }
  return best;
}

function serve(telemetry, requests) {
  for (const request of requests) {
    request.id = requestIdOf(request);
    telemetry.begun(request);
  }
  for (const group of ['admission', 'list_pets']) {
    const asked = requests.map(() => ({ askedAt: 1, context: telemetry.contextOf?.() }));
    const questions = asked.length;
    telemetry.statementEnded({ group, questions, asked, sentAt: 2, durationMs: 3, failure: undefined });
  }
  for (const request of requests) telemetry.answered(request, reply);
}

const destination = new LogDestination({ fd: openSync('/dev/null', 'w') });
const log = (which) =>
  new RequestLog((line) => destination.write(line), which, { isLevelEnabled: () => true });
const tracing = (ratio) =>
  startTracing({
    endpoint: 'http://127.0.0.1:1',
    ratio,
    serviceName: 'bench',
    version: '0',
    warn: () => undefined,
  });

const bare = await cost(undefined, {});
const rows = [
  ['metrics and identifier', new Telemetry(log('off')), {}],
  ['and a line in the log', new Telemetry(log('all')), {}],
  ['and the trace of the caller in it', new Telemetry(log('all')), { traceparent }],
  ['and traces, none kept', new Telemetry(log('all'), await tracing(0)), {}],
  ['and traces, all kept (and dropped)', new Telemetry(log('all'), await tracing(1)), {}],
];
for (const [name, telemetry, headers] of rows) {
  const ns = (await cost(telemetry, headers)) - bare;
  console.log(`${name.padEnd(36)} ${(ns / 1000).toFixed(2).padStart(6)} µs a request`);
}
process.exit(0);
