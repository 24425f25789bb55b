// Whether the service's memory stays flat under load.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATA_DIRECTORY } from './database/databases.mjs';
import { median } from './measure/statistics.mjs';
import { requestsOf } from './requests.mjs';
import { SERVERS } from './servers/list.mjs';
import { startServer } from './servers/start.mjs';

const WORKS = ['first-page', 'random-pages', 'one-by-id', 'create'];
const TURN_SECONDS = 5;
const SAMPLE_MS = 500;
const CONNECTIONS = 64;
const PARTS = 5;

/**
 * All kinds of work in turns.
 *
 * @param {import('./contest.mjs').Surroundings} surroundings
 * @returns `partsMb`: the median memory of each fifth of the time; `maxMb`; `requests` answered
 */
export async function runMemory({ databases: { large }, load, options, log }) {
  const { file, flags } = SERVERS.service;
  const server = await startServer(file, { DATABASE_URL: large.url, MANAGEMENT_PORT: '0' }, flags);
  const samples = [];
  let requests = 0;
  try {
    const files = [];
    for (const work of WORKS) {
      const path = join(DATA_DIRECTORY, `requests-memory-${work}`);
      await load.prepare(path, requestsOf(work, SERVERS.service, large.animals));
      files.push(path);
    }
    const end = performance.now() + options.memorySeconds * 1000;
    for (let turn = 0; performance.now() < end; turn += 1) {
      let driving = true;
      const driven = load
        .drive({
          address: server.address,
          file: files[turn % files.length],
          connections: CONNECTIONS,
          seconds: Math.max(1, Math.min(TURN_SECONDS, (end - performance.now()) / 1000)),
        })
        .finally(() => (driving = false));
      while (driving) {
        samples.push((await server.ask('usage')).memoryBytes / 1e6);
        await Promise.race([delay(SAMPLE_MS), driven]);
      }
      requests += (await driven).requests;
      if (turn % 4 === 3) log(`memory: ${samples.at(-1).toFixed(0)} MB after ${requests} requests`);
    }
  } finally {
    await server.stop();
  }
  const partsMb = Array.from({ length: PARTS }, (_, part) =>
    median(
      samples.slice(
        Math.floor((part * samples.length) / PARTS),
        Math.floor(((part + 1) * samples.length) / PARTS),
      ),
    ),
  );
  return { seconds: options.memorySeconds, requests, partsMb, maxMb: Math.max(...samples) };
}
