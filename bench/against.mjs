// npm run bench -- --against DIR: compares two builds of the service. Each round runs both in fresh processes, in turns.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVERS } from './contests.mjs';
import { median } from './measure.mjs';
import { startServer } from './server.mjs';
import { grid } from './table.mjs';
import { measureWorks } from './works.mjs';

const ROUNDS = 5;
const SECONDS = 3;
const SIZE = { pets: 100_000, keys: 10_000 };

/**
 * @param {readonly string[]} works
 * @param {string} directory a checkout with `dist`, `node_modules` and `prisma/migrations`
 * @returns {Promise<string>} a table of rates and CPU time, with ratios of this build to the other
 */
export async function compareBuilds(works, directory, { databases, load, log }) {
  const here = { root: resolve(import.meta.dirname, '..'), rounds: [] };
  const other = { root: resolve(directory), rounds: [] };
  for (const [index, build] of [here, other].entries()) {
    if (!existsSync(join(build.root, 'dist/main.js'))) throw new Error(`${build.root} is not built`);
    build.database = await databases.copy(`build_${index}`, SIZE, join(build.root, 'prisma/migrations'));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    log(`round ${round + 1} of ${ROUNDS}`);
    for (const build of round % 2 === 0 ? [here, other] : [other, here]) {
      build.rounds.push(await runBuild(works, build, load));
    }
  }
  return render(works, here, other, directory);
}

/** One round of a build: all works in one fresh process. */
async function runBuild(works, { root, database }, load) {
  const environment = { DATABASE_URL: database.url, MANAGEMENT_PORT: '0' };
  const server = await startServer(join(root, 'dist/main.js'), SERVERS.service.flags, environment);
  try {
    return await measureWorks([server], works, database, { load, seconds: SECONDS });
  } finally {
    await server.stop();
  }
}

const shown = (values) => Math.round(median(values.filter((value) => value > 0)));

function render(works, here, other, directory) {
  const rows = works.map((work) => {
    const cells = ['requestsPerSecond', 'cpuMicroseconds', 'postgresMicroseconds'].flatMap((figure) => {
      const of = ({ rounds }) => rounds.map(({ [work]: one }) => (one.isValid ? one[figure] : Number.NaN));
      const [mine, others] = [of(here), of(other)];
      const ratios = mine.map((value, index) => value / others[index]).filter((ratio) => ratio > 0);
      const range = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
      return [`${shown(mine)} / ${shown(others)}`, `${median(ratios).toFixed(2)} (${range})`];
    });
    return [work].concat(cells);
  });
  const heads = ['work', 'requests/s', 'ratio', 'CPU µs a request', 'ratio', 'PostgreSQL µs', 'ratio'];
  return `this build / ${directory}: medians of ${ROUNDS} rounds of ${SECONDS} s, and of the ratios by round

${grid([heads, heads.map(() => '---'), ...rows])}
`;
}
