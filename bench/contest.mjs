// One contest: starts its servers, finds out which pool is best for each, and lets them take turns.
import { join } from 'node:path';
import { DATA_DIRECTORY } from './database/databases.mjs';
import { makeAvailable } from './database/order-animals.mjs';
import { measureRound } from './measure/round.mjs';
import { assertSameAnswers, firstBody } from './measure/same-answers.mjs';
import { ordersOf, requestsOf } from './requests.mjs';
import { SERVERS } from './servers/list.mjs';
import { startServer } from './servers/start.mjs';

/** How long a pool size is tried. */
const TRIAL_SECONDS = 2;
/** More than any machine places; an animal that is ordered a second time makes the round void. */
const ORDERS_PER_SECOND_MAX = 25_000;
/** A round that is void may have met another program's work; a second one has not. */
const TRIES = 2;

/**
 * @typedef {object} Surroundings
 * @property {ReturnType<typeof import('./options.mjs').readOptions>} options
 * @property {{ large: { url: string, animals: number }, small: { url: string, animals: number } }} databases
 * @property {typeof import('./load/wrk.mjs')} load
 * @property {string | undefined} redis the path of its socket
 * @property {(message: string) => void} log
 */

/**
 * @param {import('./plan/contests.mjs').Contest} contest
 * @param {Surroundings} surroundings
 * @returns what each contender measured: `{ name, title, size, poolMax, rounds }`, rounds in the order of time
 */
export async function runContest(contest, surroundings) {
  const { options, redis, log } = surroundings;
  const contenders = contest.contenders
    .filter(({ server }) => SERVERS[server].redis !== true || redis !== undefined)
    .map(({ server, size }) => ({ name: `${server}@${size}`, size, server: SERVERS[server], rounds: [] }));
  try {
    for (const contender of contenders) await start(contender, contenders[0], contest, surroundings);
    await checkAnswers(contenders);
    for (let round = 0; round < options.rounds; round += 1) {
      log(`${contest.id}: round ${round + 1} of ${options.rounds}`);
      // Another one begins each round, so that none always follows the same.
      for (let turn = 0; turn < contenders.length; turn += 1) {
        const contender = contenders[(round + turn) % contenders.length];
        contender.rounds.push(await validRound(contender, options.seconds));
      }
    }
  } finally {
    for (const { running } of contenders) await running?.stop();
  }
  return contenders.map(({ name, size, poolMax, rounds, server }) => {
    const { title } = server;
    return { name, title, size, poolMax, rounds };
  });
}

/** Those on one database must answer alike. Constant answers were made from the first one's. */
async function checkAnswers(contenders) {
  // Orders were used up by the warm-up.
  for (const { prepare } of contenders) await prepare(1);
  for (const size of new Set(contenders.map((contender) => contender.size))) {
    const alike = contenders.filter(
      (contender) => contender.size === size && contender.server.constant !== true,
    );
    await assertSameAnswers(
      alike.map(({ name, running, requests }) => ({ name, requests, address: running.address })),
    );
  }
}

async function start(contender, first, contest, { options, databases, load, redis }) {
  const { server, size } = contender;
  const { url, animals } = databases[size];
  const { work, connections } = contest;
  const file = join(DATA_DIRECTORY, `requests-${contender.name}`);
  const prepare = async (seconds) => {
    const fresh = work === 'orders';
    contender.requests = fresh
      ? ordersOf(await makeAvailable(url, server, seconds * ORDERS_PER_SECOND_MAX))
      : (contender.requests ?? requestsOf(work, server, animals));
    await load.prepare(file, contender.requests);
  };
  await prepare(1);
  const run = (poolMax) =>
    startServer(
      server.file,
      {
        DATABASE_URL: url,
        MANAGEMENT_PORT: '0',
        ...(poolMax !== undefined && { BENCH_POOL_MAX: String(poolMax) }),
        ...(redis !== undefined && { BENCH_REDIS: redis }),
        ...(server.constant === true && { BENCH_BODY: first.body }),
      },
      server.flags,
    );
  contender.drive = (seconds) =>
    load.drive({ address: contender.running.address, file, connections, seconds });
  contender.prepare = work === 'orders' ? prepare : () => Promise.resolve();
  if (server.hasPool && connections > 1) await startWithBestPool(contender, run, options);
  else contender.running = await run(undefined);
  if (contender === first)
    first.body = await firstBody({ address: first.running.address, requests: first.requests });
  await contender.prepare(options.warmUpSeconds);
  await contender.drive(options.warmUpSeconds);
}

async function startWithBestPool(contender, run, { poolSizes }) {
  let best = { rate: 0, poolMax: poolSizes[0] };
  if (poolSizes.length > 1) {
    for (const poolMax of poolSizes) {
      contender.running = await run(poolMax);
      await contender.prepare(1);
      await contender.drive(1);
      await contender.prepare(TRIAL_SECONDS);
      const { requests, seconds } = await contender.drive(TRIAL_SECONDS);
      const rate = requests / seconds;
      if (rate > best.rate) best = { rate, poolMax };
      await contender.running.stop();
    }
  }
  contender.poolMax = best.poolMax;
  contender.running = await run(best.poolMax);
}

async function validRound({ running, drive, prepare }, seconds) {
  let round;
  for (let tries = 0; tries < TRIES; tries += 1) {
    await prepare(seconds);
    round = await measureRound(running, () => drive(seconds));
    if (!round.void) break;
  }
  return round;
}
