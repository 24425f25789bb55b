// npm run bench: starts its own PostgreSQL and Redis, loads the service and its peers in turn, and prints a table.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import * as prettier from 'prettier';
import { compareBuilds } from './against.mjs';
import { measureCounts } from './counts.mjs';
import { openDatabases } from './databases.mjs';
import { measureGrowth } from './growth.mjs';
import { chooseLoad } from './load.mjs';
import { node } from './node.mjs';
import { assertSameResponses, measureRound } from './measure.mjs';
import { measureOperators } from './operators.mjs';
import { requestsOf } from './requests.mjs';
import { openRedis, startServer } from './server.mjs';
import { render } from './table.mjs';
import { CONTESTS, SERVERS } from './contests.mjs';

const { values: options } = parseArgs({
  options: {
    /** For CI: a small database, one short round, one pool size; it proves that the benchmark runs. */
    short: { type: 'boolean', default: false },
    /** Some contests, separated by commas. */
    only: { type: 'string' },
    rounds: { type: 'string' },
    /** Writes the table into docs/performance.md. */
    write: { type: 'boolean', default: false },
    /** The directory of another build, to be compared with this one. */
    against: { type: 'string' },
    /** PostgreSQL's cost per request as the store grows: docs/scaling.md. About an hour, and 30 GB of disk. */
    growth: { type: 'boolean', default: false },
    /** Only the operators' statements of that. Ten minutes, and 15 GB of disk. */
    operators: { type: 'boolean', default: false },
    /** Promises, timers and bytes that a request of each contest makes. Five minutes. */
    counts: { type: 'boolean', default: false },
  },
});
if (options.write && (options.short || options.only)) throw new Error('--write is for a whole run');

const SIZE = options.short ? { pets: 100_000, keys: 10_000 } : { pets: 1_000_000, keys: 100_000 };
const ROUNDS = Number(options.rounds ?? (options.short ? 1 : 5));
const SECONDS = options.short ? 1 : 5;
/** Node.js compiles hot code for some ten seconds. Until then, rates of larger applications mostly measure the compiler. */
const WARM_UP_SECONDS = options.short ? 1 : 10;
/** Per pool size. */
const TRIAL_SECONDS = 2;
const CONNECTIONS = 64;
const POOL_SIZES = options.short ? [10] : [4, 10, 20];
/** Each row of these works can be written once. */
const NEEDS_ROWS = new Set(['order', 'change-order', 'delete']);
/** One invalid round may be due to other load on the machine; a second is not. */
const TRIES = 2;

const log = (message) => process.stderr.write(`${message}\n`);
const chosen = CONTESTS.filter(
  ({ work }) => options.only === undefined || options.only.split(',').includes(work),
);
const works = chosen.map(({ work }) => work);
if (chosen.length === 0) throw new Error(`contests: ${CONTESTS.map(({ work }) => work).join(', ')}`);

const load = await chooseLoad();
const databases = await openDatabases(log);
const redis = await openRedis();
let closed;
const close = () => (closed ??= redis.close().then(() => databases.close()));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => void close().finally(() => process.exit(1)));
}
try {
  const tools = { databases, load, log };
  if (options.growth) process.stdout.write(await measureGrowth(ROUNDS, tools));
  if (options.growth || options.operators) process.stdout.write(await measureOperators(tools));
  else if (options.counts) process.stdout.write(await measureCounts(chosen, tools));
  else if (options.against !== undefined)
    process.stdout.write(await compareBuilds(works, options.against, tools));
  else await runContests();
} finally {
  await close();
}

async function runContests() {
  await compileObvious();
  const database = await databases.copy('contests', SIZE);
  if (redis.path === undefined) log('no redis-server on the PATH: the peers on Redis are left out');
  const contests = [];
  for (const contest of chosen)
    contests.push({ ...contest, contenders: await runContest(contest, database) });
  const [{ model }] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const table = render(contests, [
    `${availableParallelism()} × ${model.trim()}, ${memory} GB, Node.js ${node.version} (this program: ${process.version}), PostgreSQL ${await databases.version()}`,
    `${SIZE.pets.toLocaleString('en')} pets and ${SIZE.keys.toLocaleString('en')} keys, load by ${load.name} over ${CONNECTIONS} connections on the same machine`,
    `medians of ${ROUNDS} rounds of ${SECONDS} s; fsync and synchronous_commit are on`,
  ]);
  process.stdout.write(table);
  if (options.write) await writeInto(new URL('../docs/performance.md', import.meta.url), table);
}

/** The obvious application is TypeScript, as its readers would write it. */
async function compileObvious() {
  const swc = new URL('../node_modules/.bin/swc', import.meta.url).pathname;
  const root = new URL('..', import.meta.url).pathname;
  await promisify(execFile)(swc, ['bench/obvious', 'src/generated', '-d', 'bench/.data/obvious'], {
    cwd: root,
  });
}

/** The contenders with their rounds, in the order of time. */
async function runContest({ work, servers }, database) {
  const contenders = servers
    .filter((name) => !SERVERS[name].redis || redis.path !== undefined)
    .map((name) => Object.assign({ name, rounds: [] }, SERVERS[name]));
  try {
    for (const contender of contenders) await startContender(contender, work, database);
    await assertSameResponses(contenders);
    for (let round = 0; round < ROUNDS; round += 1) {
      log(`${work}: round ${round + 1} of ${ROUNDS}`);
      // Rotates the order each round, so that none always follows the same.
      for (let turn = 0; turn < contenders.length; turn += 1) {
        const contender = contenders[(round + turn) % contenders.length];
        contender.rounds.push(await validRound(contender));
      }
    }
  } finally {
    for (const { running } of contenders) await running?.stop();
  }
  return contenders;
}

async function validRound(contender) {
  for (let attempt = 1; ; attempt += 1) {
    await contender.prepare(SECONDS);
    const round = await measureRound(contender.running, () => contender.drive(SECONDS));
    if (round.isValid || attempt === TRIES) return round;
  }
}

async function startContender(contender, work, database) {
  const file = `requests-${contender.name}`;
  let hasRequests = false;
  contender.prepare = async (seconds) => {
    if (hasRequests && !NEEDS_ROWS.has(work)) return;
    contender.requests = await requestsOf(work, contender, database, seconds);
    await load.prepare(file, contender.requests);
    hasRequests = true;
  };
  contender.drive = (seconds) =>
    load.drive({ address: contender.running.address, file, connections: CONNECTIONS, seconds });
  const start = async (poolMax, seconds) => {
    contender.poolMax = poolMax;
    contender.running = await startServer(contender.file, contender.flags, {
      DATABASE_URL: database.url,
      MANAGEMENT_PORT: '0',
      BENCH_POOL_MAX: String(poolMax),
      BENCH_REDIS: redis.path ?? '',
    });
    await contender.prepare(seconds);
    return await contender.drive(seconds);
  };
  if (!contender.hasPool) return await start(undefined, WARM_UP_SECONDS);
  // Each peer gets its best pool size.
  let best = { requests: -1, poolMax: POOL_SIZES[0] };
  for (const poolMax of POOL_SIZES.length > 1 ? POOL_SIZES : []) {
    const { requests } = await start(poolMax, TRIAL_SECONDS);
    await contender.running.stop();
    if (requests > best.requests) best = { requests, poolMax };
  }
  await start(best.poolMax, WARM_UP_SECONDS);
}

/** Replaces everything below the heading of the table. */
async function writeInto(file, table) {
  const heading = '## The table\n';
  const text = await readFile(file, 'utf8');
  const at = text.indexOf(heading);
  if (at === -1) throw new Error(`docs/performance.md has no "${heading.trim()}"`);
  const style = await prettier.resolveConfig(file);
  const ignored = table.replace('\n\n|', '\n\n<!-- prettier-ignore -->\n|');
  const written = `${text.slice(0, at)}${heading}\n${ignored}`;
  await writeFile(file, await prettier.format(written, { ...style, parser: 'markdown' }));
}
