// npm run bench -- --counts: what a request allocates in the service. Unlike times, this hardly depends on the machine.
import { once } from 'node:events';
import { SERVERS } from './contests.mjs';
import { requestsOf } from './requests.mjs';
import { startServer } from './server.mjs';
import { grid } from './table.mjs';

const SIZE = { pets: 100_000, keys: 10_000 };
const SECONDS = 3;
const FILE = 'requests-counts';

/** Batches share promises, so promises per request depend on concurrency. */
const CONNECTIONS = 64;

/** @returns {Promise<string>} a table */
export async function measureCounts(contests, { databases, load, log }) {
  const database = await databases.copy('counts', SIZE);
  const rows = [];
  for (const { title, work } of contests) {
    log(`counts: ${work}`);
    const made = await countsOf(work, 'made', database, load);
    const { bytes } = await countsOf(work, 'bytes', database, load);
    rows.push([title, made.promises.toFixed(1), made.timers.toFixed(2), (bytes / 1024).toFixed(1)]);
  }
  return `${grid([['A request', 'promises', 'timers', 'KiB'], ['---', '--:', '--:', '--:'], ...rows])}\n`;
}

async function countsOf(work, count, database, load) {
  const flags = [...SERVERS.service.flags, '--import', './bench/counting.mjs'];
  const environment = { DATABASE_URL: database.url, MANAGEMENT_PORT: '0', BENCH_COUNT: count };
  const server = await startServer(SERVERS.service.file, flags, environment);
  try {
    const drive = async () => {
      await load.prepare(FILE, await requestsOf(work, SERVERS.service, database, SECONDS));
      return await load.drive({
        address: server.address,
        file: FILE,
        connections: CONNECTIONS,
        seconds: SECONDS,
      });
    };
    await drive();
    process.kill(server.pid, 'SIGUSR2');
    const { requests } = await drive();
    const printed = once(server.stdout, 'data');
    process.kill(server.pid, 'SIGUSR2');
    const counts = JSON.parse(String((await printed)[0]));
    return Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, value / requests]));
  } finally {
    await server.stop();
  }
}
