// npm run trial:upgrade -- REVISION: a rollout from an earlier release to this checkout under load, with two replicas of each behind
// HAProxy, and the way back. It needs Debian's postgresql and haproxy, takes about four minutes, and prints a table.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { constantLoad, count, quantile, send, tally } from './client.mjs';
import {
  BINARIES,
  check,
  freePort,
  idOf,
  makeDirectory,
  requirePackages,
  ROOT,
  serversIn,
  shellIn,
  startHaproxy,
  startService,
} from './local.mjs';

const [revision] = process.argv.slice(2);
if (revision === undefined) {
  console.error('Which release? npm run trial:upgrade -- v1.1.0');
  process.exit(2);
}
requirePackages({ haproxy: 'haproxy' });

const RATE = 100;
/** Of the key whose limit both releases count. It sends 600, and is not banned for it. */
const PER_MINUTE = 300;
Object.assign(process.env, { BAN_AFTER_REFUSALS: '1000000', TRUST_PROXY: '1' });
/** How long to watch each rollout stage. */
const STATE_MS = 10_000;

const isFailed = ({ kind, status }) => !(status < 300 || (kind === 'limited' && status === 429));

const directory = makeDirectory('upgrade');
const sh = shellIn(directory, { PGHOST: '127.0.0.1', PGUSER: 'postgres' });
const { startServer } = serversIn(directory, sh);
const ROOTS = { before: join(directory, 'before'), after: ROOT };

console.log(`Building ${revision} …`);
await sh(`mkdir before && git -C ${ROOT} archive ${revision} | tar --extract --directory before
  cd before && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build`);
await trial();
// HAProxy and the server end with this process.
process.exit();

async function trial() {
  const server = await startServer('database', BINARIES);
  const asOwner = { ...server.env, DATABASE_URL: server.url('petstore_owner') };
  const petstore = (release, words, env = asOwner) =>
    sh(`${process.execPath} ${ROOTS[release]}/dist/cli/main.js ${words}`, env);
  const issue = async (name, perMinute) => {
    const limits = `--per-minute ${perMinute} --per-day 100000000`;
    const text = await petstore('before', `keys issue --json --name ${name} --plan enterprise ${limits}`);
    return JSON.parse(text).key;
  };
  await sh(`sh ${ROOTS.before}/deploy/postgres/roles.sh`, server.env);
  await petstore('before', 'db migrate');
  await petstore('before', 'db roles');
  await sh(
    `psql --no-psqlrc --quiet --command "insert into pets (name, category_id, status)
       select 'Pet ' || i, i % 9, 'available' from generate_series(1, 100000) i" petstore`,
    server.env,
  );
  const keys = { load: await issue('load', 1_000_000), limited: await issue('limited', PER_MINUTE) };

  // Four HAProxy servers, two per release.
  const places = await Promise.all(
    ['before', 'before', 'after', 'after'].map(async (release) => ({
      release,
      ports: [await freePort(), await freePort()],
    })),
  );
  const address = `127.0.0.1:${await freePort()}`;
  const origin = `http://${address}`;
  await startHaproxy(
    haproxyFile(),
    places.map(({ ports }) => ports),
    { HAPROXY_BIND: address },
  );
  const running = new Map();
  const start = (place) =>
    startService(server.url('petstore_api'), 'warn', {
      root: ROOTS[place.release],
      ports: place.ports,
    }).then((service) => running.set(place, service));
  const startAll = (release) =>
    Promise.all(places.filter((place) => place.release === release).map((place) => start(place)));
  /** One after another, as each rollout does. */
  const stopEach = async (release) => {
    for (const [place, service] of running) {
      if (place.release !== release) continue;
      await delay(3000);
      await service.stop();
      running.delete(place);
    }
  };

  await startAll('before');
  await delay(3000);
  const load = constantLoad(RATE, (i) => requestsOf(origin, keys, i));
  const stages = [];
  const stage = async (name, work) => {
    const beganAt = performance.now();
    await work();
    await delay(STATE_MS);
    stages.push({ name, beganAt });
    console.log(`     ${name}`);
  };
  await stage('two replicas of the release before', () => undefined);
  await stage('its schema migrated, and its roles', async () => {
    await petstore('after', 'db migrate');
    // A role may be new, and the owner makes none.
    await petstore('after', 'db roles', { DATABASE_URL: server.url('postgres') });
  });
  await stage('two replicas of each release', () => startAll('after'));
  await stage('two replicas of this release', () => stopEach('before'));
  await stage('on the way back, two of each', () => startAll('before'));
  await stage('back on the release before', () => stopEach('after'));
  const doctor = await petstore('before', 'doctor --json || true');
  await stage('once more, two of each', () => startAll('after'));
  await stage('two replicas of this release again', () => stopEach('before'));
  const responses = (await load.stop()).flat();
  await petstore('after', 'doctor');
  await Promise.all([...running.values()].map(({ stop }) => stop()));

  console.log('\n| State | Requests | Failed | 99 % within |\n| --- | ---: | ---: | ---: |');
  for (const [i, { name, beganAt }] of stages.entries()) {
    const until = stages[i + 1]?.beganAt ?? Infinity;
    const within = responses.filter((one) => one.beganAt >= beganAt && one.beganAt < until);
    const failed = within.filter(isFailed);
    console.log(
      `| ${name} | ${within.length} | ${failed.length} | ${quantile(within, 0.99)} ms |${failed.length > 0 ? tally(failed) : ''}`,
    );
  }
  console.log('');
  const missed = missedBy(doctor);
  const expected = [droppedObjects(), missedByRoles()].filter((one) => one !== '').join('; ');
  check('what the doctor of the release before misses', missed === expected, missed || 'nothing');
  const failed = responses.filter(isFailed);
  check('failed requests', failed.length === 0, `${failed.length} of ${responses.length}`);
  const created = responses.filter(({ status, kind }) => status === 201 && kind === 'pet');
  const ids = await sh(
    `psql --no-psqlrc --tuples-only --no-align --command 'select id from pets' petstore`,
    server.env,
  );
  const stored = new Set(ids.split('\n').map(BigInt));
  const lost = created.filter((one) => !stored.has(idOf(one)));
  check('acknowledged pets that are lost', lost.length === 0, `${lost.length} of ${created.length}`);
  const repeats = responses.filter(({ isRepeatWell }) => isRepeatWell !== undefined);
  const twice = repeats.filter(({ isRepeatWell }) => !isRepeatWell);
  check('repeats executed twice', twice.length === 0, `${twice.length} of ${repeats.length}`);
  const windows = {};
  for (const { kind, status, headers } of responses) {
    const reset = headers['x-ratelimit-reset'];
    if (kind === 'limited' && status === 200) windows[reset] = (windows[reset] ?? 0) + 1;
  }
  const admitted = Object.values(windows);
  check(
    `requests of a key with ${PER_MINUTE} a minute, by window`,
    Math.max(...admitted) === PER_MINUTE,
    admitted.join(', '),
  );
  const rejected = count(responses, 429);
  check('requests that a limit rejected', rejected > 0, rejected);
}

/** The objects that the check of the doctor fails on, in its words. */
function missedBy(doctor) {
  return JSON.parse(doctor)
    .filter(({ level }) => level === 'fail')
    .map(({ message }) => message.replace(/ (?:is|are) missing.*/, ''))
    .join('; ');
}

/** Only 1.1.0: its role check looks up a function by its old arguments. */
function missedByRoles() {
  const { version } = JSON.parse(readFileSync(join(ROOTS.before, 'package.json'), 'utf8'));
  const former = 'public.issue_api_key(text, text, integer, integer, timestamptz)';
  return version === '1.1.0' ? `function "${former}" does not exist` : '';
}

/** What this release has dropped, in the same words. */
function droppedObjects() {
  const [before, after] = Object.values(ROOTS).map((root) =>
    readFileSync(join(root, 'prisma/migrations/objects.txt'), 'utf8')
      .split('\n')
      .map((line) => line.split(' | ')[0]),
  );
  // 1.1.0 cuts a name at 63 characters.
  const isThere = (object) =>
    after.some((one) => one === object || (/\(/.test(object) && one.startsWith(object)));
  const [first = '', ...others] = before.filter((object) => !isThere(object));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** What clients of both releases send; an array, because some retry or follow up on a response. */
async function requestsOf(origin, keys, i) {
  const request = async (kind, options) => ({
    kind,
    ...(await send(origin, { key: kind === 'limited' ? keys.limited : keys.load, ...options })),
  });
  const pet = {
    method: 'POST',
    path: '/v1/pets',
    body: `{"name":"New ${i}","categoryId":1,"status":"available"}`,
  };
  switch (i % 10) {
    case 0: {
      const idempotent = { ...pet, headers: { 'idempotency-key': `repeat-${i}` } };
      const first = await request('pet', idempotent);
      await delay(2000);
      const second = await request('pet', idempotent);
      return [first, { ...second, isRepeatWell: second.headers.location === first.headers.location }];
    }
    case 1: {
      const created = await request('pet', pet);
      if (created.status !== 201) return [created];
      const order = await request('order', {
        ...{ method: 'POST', path: '/v1/store/orders', body: `{"petId":${idOf(created)}}` },
      });
      if (order.status !== 201) return [created, order];
      const path = `/v1/store/orders/${idOf(order)}`;
      const approved = await request('order', { method: 'PATCH', path, body: '{"status":"approved"}' });
      return [created, order, approved, await request('order', { path })];
    }
    case 2:
      return [await request('pet', { path: `/v1/pets/${1 + (i % 100_000)}` })];
    case 3:
      return [await request('inventory', { path: '/v1/store/inventory' })];
    case 4:
      return [await request('usage', { path: '/v1/usage' })];
    case 5:
      return [await request('list', { path: '/v1/store/orders?limit=5' })];
    case 6:
      return [await request('limited', {})];
    default:
      return [await request('list', { path: `/v1/pets?limit=5&status=available` })];
  }
}

/** The configuration of the compose file, with one replica more. */
function haproxyFile() {
  const text = readFileSync(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    text.replaceAll(
      /^ {2}server api-3 .*$/gm,
      (line) => `${line}\n${line.replaceAll('api-3', 'api-4').replaceAll('API_3', 'API_4')}`,
    ),
  );
  return file;
}
