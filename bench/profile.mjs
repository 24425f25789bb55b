// Where the service's own time goes under one of the loads: node bench/profile.mjs first-page --seconds 8
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DATA_DIRECTORY, openDatabases } from './database/databases.mjs';
import { chooseLoad } from './load/load.mjs';
import { sumUp } from './profile/report.mjs';
import { requestsOf } from './requests.mjs';
import { startServer } from './servers/start.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '64' },
    animals: { type: 'string', default: '1000000' },
    keys: { type: 'string', default: '100000' },
    lines: { type: 'string', default: '40' },
    /** Another entry point, to compare with. */
    server: { type: 'string', default: 'dist/main.js' },
    /** Flags of Node.js to try, such as --node=--max-semi-space-size=64; may be repeated. */
    node: { type: 'string', multiple: true, default: [] },
  },
});
const work = positionals[0] ?? 'first-page';
const animals = Number(values.animals);
const lines = Number(values.lines);

const log = (message) => process.stderr.write(`${message}\n`);
const databases = await openDatabases(log);
const load = await chooseLoad();
try {
  const database = await databases.copy('profile', { animals, keys: Number(values.keys) });
  const cursors = values.server === 'dist/main.js';
  const server = await startServer(
    values.server,
    { DATABASE_URL: database.url, MANAGEMENT_PORT: '0' },
    values.node,
  );
  try {
    const requests = join(DATA_DIRECTORY, 'profile-requests');
    await load.prepare(requests, requestsOf(work, { cursors }, animals));
    const drive = (seconds) =>
      load.drive({
        address: server.address,
        file: requests,
        connections: Number(values.connections),
        seconds,
      });
    await drive(3);
    await server.ask('startProfile');
    const before = await server.ask('usage');
    const result = await drive(Number(values.seconds));
    const after = await server.ask('usage');
    await mkdir(new URL('results/', import.meta.url), { recursive: true });
    const file = new URL(`results/${work}.cpuprofile`, import.meta.url).pathname;
    await server.ask('stopProfile', file);
    print(result, before, after, sumUp(JSON.parse(await readFile(file, 'utf8'))));
    log(`the whole profile: ${file}`);
  } finally {
    await server.stop();
  }
} finally {
  await databases.close();
}

function print(result, before, after, { idle, writing, functions, places }) {
  const { requests, seconds, p50Ms, p99Ms, notOk, broken } = result;
  const perRequest = (name) => ((after[name] - before[name]) / requests).toFixed(3);
  process.stdout.write(`${work}: ${Math.round(requests / seconds)} requests/s while profiled, `);
  process.stdout.write(`p50 ${p50Ms} ms, p99 ${p99Ms} ms, not 2xx ${notOk}, broken ${broken}\n`);
  process.stdout.write(`${perRequest('cpuMicroseconds')} µs CPU and ${perRequest('statements')} statements `);
  process.stdout.write(`a request\n`);
  process.stdout.write(`the main thread: ${percent(idle)} idle, ${percent(writing)} in writes to sockets; `);
  process.stdout.write(`what follows is of the rest\n`);
  table('Self time by package, file or module', places, lines);
  table('Self time by function', functions, lines);
  const own = functions.filter(({ name }) => / (dist|fastify|@nestjs|pg|find-my-way)/.test(name));
  table(
    'Time with everything called, by function',
    own.sort((one, other) => other.total - one.total),
    lines,
  );
}

function table(title, shares, count) {
  process.stdout.write(`\n${title}\n   self   total\n`);
  for (const { name, self, total } of shares.slice(0, count)) {
    process.stdout.write(`${percent(self).padStart(7)} ${percent(total).padStart(7)}  ${name}\n`);
  }
}

function percent(part) {
  return `${(part * 100).toFixed(1)} %`;
}
