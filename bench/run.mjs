// npm run bench: starts a PostgreSQL of its own, lets the service and the baselines take turns under load, prints a table.
import { mkdir, writeFile } from 'node:fs/promises';
import { DATA_DIRECTORY, openDatabases } from './database/databases.mjs';
import { runContest } from './contest.mjs';
import { chooseLoad } from './load/load.mjs';
import { machine } from './machine.mjs';
import { measureFsync } from './measure/fsync.mjs';
import { runMemory } from './memory.mjs';
import { readOptions } from './options.mjs';
import { CONTESTS } from './plan/contests.mjs';
import { GOALS } from './plan/goals.mjs';
import { writeIntoReadme } from './report/readme.mjs';
import { render } from './report/table.mjs';
import { openRedis } from './servers/redis.mjs';

const RESULTS = new URL('results/', import.meta.url);

const options = readOptions(process.argv.slice(2));
const log = (message) => process.stderr.write(`${message}\n`);

if (options.against !== undefined) {
  const { compareBuilds } = await import('./against.mjs');
  process.stdout.write(await compareBuilds(options.against, log));
  process.exit();
}

const unknown = options.only?.find((id) => !CONTESTS.some((contest) => contest.id === id));
if (unknown !== undefined) throw new Error(`there is no contest "${unknown}": see plan/contests.mjs`);
const chosen = CONTESTS.filter(({ id }) => options.only === undefined || options.only.includes(id));
const load = await chooseLoad(options.load);
const server = await openDatabases(log);
const redis = await openRedis();
let closed;
const close = () => (closed ??= redis.close().then(() => server.close()));
// The servers under test end by themselves when this process does; PostgreSQL and Redis would stay.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}
try {
  const result = {
    at: new Date().toISOString(),
    machine: machine(),
    postgres: await server.settings(),
    fsync: await measureFsync(DATA_DIRECTORY),
    load: load.name,
    sizes: options.sizes,
    options,
    contests: [],
    goals: GOALS,
    memory: undefined,
  };
  const databases = {
    large: await server.copy('large', options.sizes.large),
    small: await server.copy('small', options.sizes.small),
  };
  if (redis.path === undefined) log('no redis-server on the PATH: the baseline on Redis is left out');
  const surroundings = { options, databases, load, redis: redis.path, log };
  for (const contest of chosen) {
    const { id, title } = contest;
    result.contests.push({ id, title, contenders: await runContest(contest, surroundings) });
  }
  if (options.memory) result.memory = await runMemory(surroundings);

  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('latest.json', RESULTS), `${JSON.stringify(result, undefined, 2)}\n`);
  const table = render(result);
  if (options.readme) await writeIntoReadme(table);
  process.stdout.write(table);
} finally {
  await close();
}
