// npm run bench -- --growth: PostgreSQL's cost per request as pets, keys and replicas grow. It prints the table of docs/scaling.md and
// draws its plot. Each round runs a fresh process per variant, in turns.
import { spawn, spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DATA_DIRECTORY } from './databases.mjs';
import { SERVERS } from './contests.mjs';
import { median } from './measure.mjs';
import { startServer } from './server.mjs';
import { grid } from './table.mjs';
import { measureWorks } from './works.mjs';

const SECONDS = 2;
const WORKS = {
  'first-page': 'the first page of 20',
  'random-pages': 'a random page of 20',
  'by-id': 'one pet',
  'by-ids': 'twenty pets',
  inventory: 'the inventory',
  change: 'a new name of a pet',
  create: 'a new pet',
  order: 'an order',
  'read-order': 'one order',
  'change-order': 'an approval',
  delete: 'a deletion',
};
const M = 1_000_000;
const VARIANTS = [
  { title: '1 M pets', pets: M, keys: M },
  { title: '4 M pets', pets: 4 * M, keys: M },
  { title: '16 M pets', pets: 16 * M, keys: M },
  { title: '3 M keys', pets: M, keys: 3 * M },
  { title: '2 replicas', pets: M, keys: M, replicas: 2 },
  { title: '3 replicas', pets: M, keys: M, replicas: 3 },
  { title: '3, PgBouncer', pets: M, keys: M, replicas: 3, hasPooler: true },
  { title: 'a dump', pets: M, keys: M, hasSnapshot: true },
];

/** @returns {Promise<string>} the table; the plot is written into docs/images */
export async function measureGrowth(rounds, { databases, load, log }) {
  if (spawnSync('pgbouncer', ['--version']).error !== undefined) throw new Error('no pgbouncer on the PATH');
  const results = VARIANTS.map(() => []);
  const sizes = new Map();
  for (const { pets, keys } of VARIANTS) {
    const size = `${pets}_${keys}`;
    if (!sizes.has(size)) sizes.set(size, await databases.copy(`growth_${size}`, { pets, keys }));
  }
  for (let round = 0; round < rounds; round += 1)
    for (let turn = 0; turn < VARIANTS.length; turn += 1) {
      const index = (round + turn) % VARIANTS.length;
      const { title, pets, keys } = VARIANTS[index];
      log(`round ${round + 1} of ${rounds}: ${title}`);
      results[index].push(await measureVariant(VARIANTS[index], sizes.get(`${pets}_${keys}`), load));
    }
  const costs = results.map((variant) => Object.keys(WORKS).map((work) => costOf(variant, work)));
  await writeFile(new URL('../docs/images/growth.svg', import.meta.url), plot(costs.slice(0, 3)));
  const heads = ['PostgreSQL µs a request', ...VARIANTS.map(({ title }) => title)];
  const rows = Object.values(WORKS).map((title, work) =>
    [title].concat(costs.map((variant) => variant[work])),
  );
  return `${grid([heads, ['---', ...VARIANTS.map(() => '--:')], ...rows])}\n`;
}

function costOf(rounds, work) {
  const valid = rounds.map(({ [work]: round }) => round).filter(({ isValid }) => isValid);
  return Math.round(median(valid.map(({ postgresMicroseconds }) => postgresMicroseconds)));
}

async function measureVariant({ replicas = 1, hasPooler = false, hasSnapshot = false }, database, load) {
  const pooler = hasPooler ? await openPooler(database.url) : undefined;
  const snapshot = hasSnapshot ? await holdSnapshot(database.url) : undefined;
  const environment = { MANAGEMENT_PORT: '0', ...(pooler?.environment ?? { DATABASE_URL: database.url }) };
  const servers = [];
  try {
    for (let index = 0; index < replicas; index += 1)
      servers.push(await startServer(SERVERS.service.file, SERVERS.service.flags, environment));
    return await measureWorks(servers, Object.keys(WORKS), database, { load, seconds: SECONDS });
  } finally {
    for (const server of servers) await server.stop();
    pooler?.stop();
    await snapshot?.end();
  }
}

/** Like pg_dump or a long report: PostgreSQL keeps all row versions that its snapshot may see. */
async function holdSnapshot(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('begin isolation level repeatable read read only');
  await client.query('select from plans limit 1');
  return client;
}

/** PgBouncer with the project's settings except addresses. Before 1.21 it has no named statements. */
async function openPooler(databaseUrl) {
  const { pathname, searchParams } = new URL(databaseUrl);
  const [socketDirectory, port] = [searchParams.get('host'), '6432'];
  const shipped = await readFile(new URL('../deploy/pgbouncer/pgbouncer.ini', import.meta.url), 'utf8');
  const settings = shipped
    .replace(/^petstore = .*$/m, `* = host=${socketDirectory} port=5432 user=petstore`)
    .replace(/^listen_addr = .*$/m, 'listen_addr = 127.0.0.1')
    .replace(/^max_prepared_statements.*$/m, '')
    .replace(/^auth_type = .*$/m, 'auth_type = any')
    .replace(/^auth_file = .*$/m, '');
  const file = join(DATA_DIRECTORY, 'pgbouncer.ini');
  await writeFile(file, settings);
  // It does not run as root, and the directory of the socket is its owner's.
  const { uid, gid } = statSync(socketDirectory);
  const child = spawn('pgbouncer', ['--quiet', file], { uid, gid, stdio: 'inherit' });
  const isOpen = () =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => resolve(true)).once('error', () =>
        resolve(false),
      );
      socket.once('connect', () => socket.destroy());
    });
  while (!(await isOpen())) await delay(50);
  return {
    environment: {
      DATABASE_URL: `postgresql://petstore@127.0.0.1:${port}${pathname}?sslmode=disable`,
      DATABASE_NAMED_STATEMENTS: 'off',
    },
    stop: () => child.kill('SIGINT'),
  };
}

const text = (x, y, anchor, content) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${content}</text>`;
const dot = (x, y, size) => `<circle cx="${x}" cy="${y}" r="5" class="size-${size}"/>`;

/** One row for each work; a dot for each number of pets, stronger the more they are. */
function plot(costs) {
  const [width, left, right, top, rowHeight] = [760, 170, 40, 60, 30];
  const most = Math.max(...costs.flat());
  const xOf = (cost) => Math.round(left + (cost / most) * (width - left - right));
  const titles = Object.values(WORKS);
  const bottom = top + titles.length * rowHeight;
  const step = most > 400 ? 100 : 50;
  const ticks = Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step);
  const rows = titles.map((title, row) => {
    const y = top + row * rowHeight + 8;
    const xs = costs.map((variant) => xOf(variant[row]));
    const range = `<path d="M${Math.min(...xs)} ${y}H${Math.max(...xs)}" class="range"/>`;
    return text(left - 14, y + 4, 'end', title) + range + xs.map((x, size) => dot(x, y, size)).join('');
  });
  const lines = [
    ...ticks.map((tick) => `<path d="M${xOf(tick)} ${top - 8}V${bottom - 8}" class="grid"/>`),
    ...ticks.map((tick) => text(xOf(tick), bottom + 10, 'middle', tick)),
    ...rows,
    ...VARIANTS.slice(0, costs.length).map(
      ({ title }, size) =>
        dot(left + size * 110, 24, size) + text(left + 12 + size * 110, 28, 'start', title),
    ),
    text(width - right, bottom + 30, 'end', 'PostgreSQL µs a request'),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 40}" font-family="system-ui, sans-serif" font-size="13">
<style>
  text { fill: #24292f } .grid { stroke: #d0d7de } .range { stroke: #8c959f; stroke-width: 2 }
  .size-0 { fill: #9ec5fe } .size-1 { fill: #3d8bfd } .size-2 { fill: #0a3069 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .grid { stroke: #30363d }
    .size-0 { fill: #1f4b8f } .size-1 { fill: #4493f8 } .size-2 { fill: #cae2ff }
  }
</style>
${lines.join('\n')}
</svg>
`;
}
