// npm run bench -- --against DIR: compares two builds of the service. In each round both run in a fresh process, in turns.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DATA_DIRECTORY, openDatabases } from './database/databases.mjs';
import { makeAvailable } from './database/order-animals.mjs';
import { chooseLoad } from './load/load.mjs';
import { measureRound } from './measure/round.mjs';
import { median } from './measure/statistics.mjs';
import { ordersOf, requestsOf } from './requests.mjs';
import { SERVERS } from './servers/list.mjs';
import { startServer } from './servers/start.mjs';

const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 1;
const CONNECTIONS = 64;
const SIZE = { animals: 100_000, keys: 10_000 };
/** More than any machine places. */
const ORDERS_PER_SECOND_MAX = 25_000;
const WORKS = ['first-page', 'one-by-id', 'create', 'orders'];

/**
 * @param {string} directory a checkout with `dist`, `node_modules` and `prisma/migrations`
 * @param {(message: string) => void} log
 * @returns {Promise<string>} a table of requests/s and CPU time, with ratios of this build to the other
 */
export async function compareBuilds(directory, log) {
  const here = { name: 'this build', root: resolve(import.meta.dirname, '..'), rounds: [] };
  const other = { name: directory, root: resolve(directory), rounds: [] };
  for (const { root } of [here, other]) {
    if (!existsSync(join(root, 'dist/main.js'))) throw new Error(`${root} is not built`);
  }
  const databases = await openDatabases(log);
  try {
    const load = await chooseLoad();
    for (const [index, build] of [here, other].entries()) {
      build.database = await databases.copy(`build_${index}`, SIZE, join(build.root, 'prisma/migrations'));
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      log(`round ${round + 1} of ${ROUNDS}`);
      for (const build of round % 2 === 0 ? [here, other] : [other, here]) {
        build.rounds.push(await runBuild(build, load));
      }
    }
  } finally {
    await databases.close();
  }
  return render(here, other);
}

/** One round of a build: all works in one fresh process. */
async function runBuild({ root, database }, load) {
  const environment = { DATABASE_URL: database.url, MANAGEMENT_PORT: '0' };
  const server = await startServer(join(root, 'dist/main.js'), environment, SERVERS.service.flags);
  const file = join(DATA_DIRECTORY, 'requests-of-build');
  const results = {};
  try {
    for (const work of WORKS) {
      const drive = async (seconds) => {
        await load.prepare(file, await requestsFor(work, database, seconds));
        return () => load.drive({ address: server.address, file, connections: CONNECTIONS, seconds });
      };
      await (
        await drive(WARM_UP_SECONDS)
      )();
      results[work] = await measureRound(server, await drive(SECONDS));
    }
  } finally {
    await server.stop();
  }
  return results;
}

async function requestsFor(work, { url, animals }, seconds) {
  if (work !== 'orders') return requestsOf(work, SERVERS.service, animals);
  return ordersOf(await makeAvailable(url, SERVERS.service, seconds * ORDERS_PER_SECOND_MAX));
}

const shown = (values) => Math.round(median(values.filter((value) => value > 0)));

function render(here, other) {
  const lines = [
    `this build / ${other.name}: medians of ${ROUNDS} rounds of ${SECONDS} s; ratios by round, with the smallest and largest`,
    '',
    '| work | requests/s | ratio | CPU µs/request | ratio |',
    '| --- | ---: | ---: | ---: | ---: |',
  ];
  for (const work of WORKS) {
    const cells = ['requestsPerSecond', 'cpuMicroseconds'].flatMap((figure) => {
      const of = ({ rounds }) => rounds.map((round) => (round[work].void ? Number.NaN : round[work][figure]));
      const [mine, others] = [of(here), of(other)];
      const ratios = mine.map((value, index) => value / others[index]).filter((ratio) => ratio > 0);
      return [
        `${shown(mine)} / ${shown(others)}`,
        `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      ];
    });
    lines.push(`| ${work} | ${cells.join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}
