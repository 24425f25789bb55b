// npm run trial:ha: docs/high-availability.md, tried. Two nodes of Patroni, each in a network namespace of its own, etcd, HAProxy, and three
// replicas of the service under load, through what may happen to a primary. It needs root, takes about ten minutes, and prints a table.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { constantLoad, send, tally } from './client.mjs';
import {
  AS_POSTGRES,
  BINARIES,
  check,
  freePort,
  idOf,
  makeDirectory,
  requirePackages,
  ROOT,
  shellIn,
  startService,
} from './local.mjs';

if (process.getuid() !== 0) {
  console.error('Network namespaces need root.');
  process.exit(2);
}
requirePackages({ patroni: 'patroni', etcd: 'etcd-server', haproxy: 'haproxy', ip: 'iproute2' });

const SETTINGS = join(ROOT, 'deploy/patroni/patroni.yml');
const PATRONICTL = `patronictl --config-file ${SETTINGS}`;
/** HAProxy and the replicas have the first address; etcd has one of its own, so that a node can lose it alone. */
const [HOST, ETCD] = ['10.77.0.1', '10.77.0.2'];
const NODES = ['node1', 'node2'].map((name, i) => ({
  name,
  address: `10.77.0.1${i + 1}`,
  netns: `petstore-${name}`,
}));
/** Requests a second: every second one creates a pet, the others count against a limit. */
const RATE = 100;
/** Reached after 14 s without a failure, usually seconds after the failover otherwise. */
const PER_MINUTE = 700;
/** How long to watch the new primary before the old one returns. */
const AFTER_MS = 12_000;

const directory = makeDirectory('ha');
const port = await freePort();
const passwords = { PATRONI_SUPERUSER_PASSWORD: 'superuser', PATRONI_REPLICATION_PASSWORD: 'replication' };
const sh = shellIn(directory, {
  ...{
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'postgres',
    PGPASSWORD: passwords.PATRONI_SUPERUSER_PASSWORD,
  },
  PATRONI_ETCD3_HOSTS: `${ETCD}:2379`,
});
const urlOf = (role) => `postgresql://petstore_${role}:${role}@127.0.0.1:${port}/petstore?sslmode=disable`;
const asOwner = { DATABASE_URL: urlOf('owner') };

const children = [];
/** Starts a program that runs until the end. */
function start(name, line, env) {
  const child = spawn('sh', ['-c', `exec ${line} >>${directory}/${name}.log 2>&1`], {
    ...{ cwd: directory, env: { ...process.env, ...env } },
  });
  children.push(child);
}
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** At the end, and after an interrupted trial. */
function removeNetwork() {
  const lines = ['petstore-host', ...NODES.map(({ netns }) => netns), 'petstore-switch'].map(
    (name) =>
      `ip netns pids ${name} | xargs --no-run-if-empty kill -9; ip link del ${name}; ip netns del ${name}`,
  );
  spawnSync('sh', ['-c', lines.join('\n')]);
}

/** A bridge in a namespace of its own, because firewalls of this machine (Docker's, for one) filter those that they see. */
async function makeNetwork() {
  removeNetwork();
  process.once('exit', removeNetwork);
  await sh(`ip netns add petstore-switch
    ip -n petstore-switch link add bridge type bridge
    ip -n petstore-switch link set bridge up
    ip link add petstore-host type veth peer name host netns petstore-switch
    ip -n petstore-switch link set host master bridge up
    ip addr add ${HOST}/24 dev petstore-host
    ip addr add ${ETCD}/24 dev petstore-host
    ip link set petstore-host up`);
  for (const { name, address, netns } of NODES)
    await sh(`ip netns add ${netns}
      ip link add ${name} netns petstore-switch type veth peer name eth0 netns ${netns}
      ip -n petstore-switch link set ${name} master bridge up
      ip -n ${netns} addr add ${address}/24 dev eth0
      ip -n ${netns} link set eth0 up
      ip -n ${netns} link set lo up`);
}

/** Patroni on a node, as docs/high-availability.md says, with a directory of its own for sockets. */
function startNode({ name, address, netns }) {
  const run = `mount -t tmpfs -o mode=1777 sockets /run/postgresql && exec ${AS_POSTGRES}patroni ${SETTINGS}`;
  start(name, `ip netns exec ${netns} sh -c '${run}'`, {
    ...passwords,
    PATRONI_NAME: name,
    PATRONI_ETCD3_HOSTS: `${ETCD}:2379`,
    PATRONI_RESTAPI_LISTEN: `${address}:8008`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${address}:8008`,
    PATRONI_POSTGRESQL_LISTEN: `${address}:5432`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${address}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: join(directory, name),
    PATRONI_POSTGRESQL_BIN_DIR: BINARIES,
    PATRONI_POSTGRESQL_PGPASS: join(directory, `${name}.pgpass`),
    PATRONI_SUPERUSER_USERNAME: 'postgres',
    PATRONI_REPLICATION_USERNAME: 'replicator',
  });
}

/** Resolves to the value of a query on a node, or to undefined. */
async function valueOn(node, text) {
  const limits = { connectionTimeoutMillis: 300, query_timeout: 300 };
  const password = passwords.PATRONI_SUPERUSER_PASSWORD;
  const client = new pg.Client({
    host: node.address,
    user: 'postgres',
    password,
    database: 'postgres',
    ...limits,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
  } catch {
    return undefined;
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** The node that takes writes, if one does. */
async function primary() {
  const standby = await Promise.all(NODES.map((node) => valueOn(node, 'select pg_is_in_recovery()')));
  return NODES.find((_, i) => standby[i] === false);
}

async function until(what, holds, seconds = 120) {
  for (const giveUpAt = Date.now() + seconds * 1000; ; await delay(50)) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > giveUpAt) throw new Error(`not within ${seconds} s: ${what}`);
  }
}

/** Both nodes are healthy: a primary, and a standby that replicates in the given mode. */
const isWhole = (mode) => async () => {
  const node = await primary();
  const text = `select sync_state from pg_stat_replication where state = 'streaming' and application_name like 'node_'`;
  return node !== undefined && (await valueOn(node, text)) === mode;
};

const FAILURES = {
  'killed postmaster': {
    fail: ({ name }) =>
      process.kill(
        Number(readFileSync(join(directory, name, 'postmaster.pid'), 'utf8').split('\n')[0]),
        'SIGKILL',
      ),
  },
  'killed node': {
    fail: ({ netns }) => sh(`ip -n ${netns} link set eth0 down; ip netns pids ${netns} | xargs kill -9`),
    heal: async (node) => {
      await sh(`ip -n ${node.netns} link set eth0 up`);
      startNode(node);
    },
  },
  switchover: {
    fail: ({ name }) => sh(`${PATRONICTL} switchover --leader ${name} --force`),
  },
  'primary cut off from etcd': {
    fail: ({ netns }) => sh(`ip -n ${netns} route add blackhole ${ETCD}/32`),
    heal: ({ netns }) => sh(`ip -n ${netns} route del blackhole ${ETCD}/32`),
  },
};

/** The first moment after the failure at which a primary accepts a connection: another node, or the same one again. */
async function newPrimaryAt(before) {
  let wasAway = false;
  await until('a primary', async () => {
    const now = await primary();
    wasAway ||= now === undefined;
    return now !== undefined && (wasAway || now !== before);
  });
  return performance.now();
}

const TITLES = [
  'Synchronous',
  'Failure',
  'Acknowledged',
  'Lost',
  'Over the limit',
  '503 for',
  'After the new primary',
];
const table = [TITLES, TITLES.map(() => '---')];
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** One failure under load, checking every acknowledged write. */
async function scenario(mode, what, services, key) {
  const { fail, heal } = FAILURES[what];
  const words = `keys issue --json --name limited --plan enterprise --per-minute ${PER_MINUTE} --per-day 1000000`;
  const { key: limited } = JSON.parse(await sh(`petstore ${words}`, asOwner));
  await delay(60_000 - (Date.now() % 60_000));
  const before = await primary();
  const pet = { method: 'POST', path: '/v1/pets', body: '{"name":"Rex","categoryId":1}' };
  const load = constantLoad(RATE, async (i) => {
    const { origin } = services[(i >> 1) % services.length];
    const isLimited = i % 2 === 0;
    return { isLimited, ...(await send(origin, isLimited ? { key: limited } : { key, ...pet })) };
  });
  await delay(5000);
  const failedAt = performance.now();
  const [primaryAt] = await Promise.all([newPrimaryAt(before), fail(before)]);
  await delay(AFTER_MS);
  await heal?.(before);
  await until('both nodes are well', isWhole(mode));
  const responses = await load.stop();
  const ready = (await Promise.all(services.map(({ isReady }) => isReady()))).filter(Boolean);

  const ids = await sh(`psql --no-psqlrc --tuples-only --no-align --command 'select id from pets' petstore`);
  const stored = new Set(ids.split('\n').map(BigInt));
  const acknowledged = responses.filter(({ status }) => status === 201);
  const lost = acknowledged.filter((one) => !stored.has(idOf(one)));
  const admitted = {};
  for (const { isLimited, status, headers } of responses) {
    const reset = headers['x-ratelimit-reset'];
    if (isLimited && status === 200) admitted[reset] = (admitted[reset] ?? 0) + 1;
  }
  const perWindow = Object.values(admitted);
  const over = perWindow.reduce((sum, count) => sum + Math.max(0, count - PER_MINUTE), 0);
  const failed = responses.filter(({ status }) => !(status < 500));
  const lastAt = Math.max(failedAt, ...failed.map(({ beganAt, ms }) => beganAt + ms));
  const healedMs = Math.max(0, lastAt - primaryAt);

  console.log(`\n${mode}, ${what}: ${tally(responses)}`);
  const isReached = responses.some(({ isLimited, status }) => isLimited && status === 429);
  check('the limit is reached', isReached, `${perWindow.join(', ')} admitted a window`);
  const lostOf = `${lost.length} of ${acknowledged.length}`;
  check('acknowledged writes that are lost', mode === 'async' || lost.length === 0, lostOf);
  check('requests over the limit, at most those of a second', over <= RATE / 2, over);
  check('the last 503 after the new primary, at most 2 s', healedMs <= 2000, seconds(healedMs));
  check('replicas that are ready', ready.length === services.length, `${ready.length} of ${services.length}`);
  const row = [acknowledged.length, lost.length, over, seconds(lastAt - failedAt), seconds(healedMs)];
  table.push([mode === 'sync' ? 'on' : 'off', what, ...row]);
}

await makeNetwork();
const [client, peer] = [`http://${ETCD}:2379`, `http://${ETCD}:2380`];
start(
  'etcd',
  `etcd --data-dir etcd --listen-client-urls ${client} --advertise-client-urls ${client} --listen-peer-urls ${peer}`,
);
const [one, two] = NODES;
start('haproxy', `haproxy -f ${join(ROOT, 'deploy/patroni/haproxy.cfg')}`, {
  ...{ HAPROXY_BIND: `127.0.0.1:${port}`, PATRONI_NODE_1: one.address, PATRONI_NODE_2: two.address },
});
startNode(one);
await until('the first node', primary);
startNode(two);
await until('both nodes', isWhole('sync'));
await until('HAProxy', () => sh('psql --command "select 1" postgres').catch(() => undefined));
await sh(`sh ${join(ROOT, 'deploy/postgres/roles.sh')} && petstore db migrate && petstore db roles`, asOwner);
const words = 'keys issue --json --name load --plan enterprise --per-minute 1000000 --per-day 100000000';
const { key } = JSON.parse(await sh(`petstore ${words}`, asOwner));
const services = await Promise.all(['1', '2', '3'].map(() => startService(urlOf('api'), 'fatal')));
for (const mode of ['sync', 'async']) {
  await sh(`${PATRONICTL} edit-config --set synchronous_mode=${mode === 'sync'} --force`);
  await until(mode, isWhole(mode));
  for (const what of Object.keys(FAILURES)) await scenario(mode, what, services, key);
}
console.log(`\n${table.map((row) => `| ${row.join(' | ')} |`).join('\n')}`);
// Child processes end with this one.
process.exit();
