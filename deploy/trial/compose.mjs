// npm run trial:compose: tests the promises of docker-compose.yml and docs/deployment.md on a container engine, on a copy of this
// checkout, as a project of its own. It takes a quarter of an hour, and prints a table of what it measured. With the release before
// (-- v1.1.0) it begins with an upgrade from it, and back.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { cpus, networkInterfaces, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { closeIdle, constantLoad, count, outage, quantile, send, shopRequest, tally } from './client.mjs';
import { selfSigned, tryProxies } from './proxies.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEFT_OUT = /^(?:\.git|\.env|\.petstore|secrets|dist|bench\/\.data|(?:.*\/)?node_modules)(?:\/|$)/;
const PORTS = {
  ...{ API_PORT: '13000', HAPROXY_PORT: '18080', PROMETHEUS_PORT: '19090', GRAFANA_PORT: '13030' },
  ...{ HAPROXY_TLS_PORT: '18443', DASHBOARD_PORT: '13001' },
};
const SINGLE = `http://127.0.0.1:${PORTS.API_PORT}`;
const BALANCED = `http://127.0.0.1:${PORTS.HAPROXY_PORT}`;
const REPLICAS = ['api-1', 'api-2', 'api-3'];

const environment = {
  ...process.env,
  ...PORTS,
  COMPOSE_PROJECT_NAME: 'petstore-trial',
  PETSTORE_IMAGE: 'petstore-trial:trial',
};
const directory = mkdtempSync(join(tmpdir(), 'petstore-trial-'));
const copyRoot = () =>
  cpSync(ROOT, directory, {
    recursive: true,
    filter: (path) => !statSync(path).isSocket() && !LEFT_OUT.test(relative(ROOT, path)),
  });

/** Runs a program in the copy of the checkout, and returns what it wrote. */
function run(command, args, { input, mayFail = false, env = {} } = {}) {
  const options = { cwd: directory, env: { ...environment, ...env }, input, maxBuffer: 2 ** 28 };
  const { error, status, stdout, stderr } = spawnSync(command, args, options);
  if (error !== undefined || (status !== 0 && !mayFail)) {
    throw new Error(
      `${command} ${args.join(' ')}: ${error?.message ?? ''}${String(stdout)}${String(stderr)}`,
    );
  }
  return { status, stdout, text: String(stdout).trim() };
}
const compose = (...args) => run('docker', ['compose', '--profile', 'scale', ...args]).text;
const upSingle = () => run('docker', ['compose', 'up', '--detach', '--wait']);
const upScale = () => compose('up', '--detach', '--wait', '--scale', 'api=0');
const inCopy = (name) => join(directory, name);
const readCopy = (name) => readFileSync(inCopy(name), 'utf8');
const sh = (script, env = {}) => run('sh', ['-c', script], { mayFail: true, env });
/** A setting in .env, which wins over the one before it. */
const set = (line) => appendFileSync(inCopy('.env'), `${line}\n`);
/** Another address of this machine than the loopback one. */
const ADDRESS = Object.values(networkInterfaces())
  .flat()
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const inDatabase = (program, args, options) =>
  run(
    'docker',
    ['compose', 'exec', '--no-TTY', 'database', program, '--username', 'postgres', ...args],
    options,
  );

const BROKEN = 'FROM petstore-trial:trial\nCMD ["sh", "-c", "exit 1"]\n';

const inService = (...args) => run('docker', ['compose', '--profile', '*', 'exec', '--no-TTY', ...args]);

let failures = 0;
const figures = [];
/** Prints a line for each promise, and keeps its figures for the table. */
function check(what, holds, figure = holds ? 'yes' : 'no') {
  if (!holds) failures += 1;
  figures.push([what, figure]);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${figure}`);
}

function issueKey(name, perDay = 100_000_000) {
  const words = `keys issue --json --name ${name} --plan enterprise --per-minute 1000000 --per-day ${perDay}`;
  return JSON.parse(compose('run', '--rm', 'petstore', ...words.split(' '))).key;
}

/** Runs `work` while clients send requests, and returns these. */
async function underLoad(origin, key, work) {
  const load = constantLoad(50, (i) => shopRequest(origin, key, i, 'trial'));
  await delay(1000);
  const result = await work();
  await delay(2000);
  return { responses: await load.stop(), result };
}

/** Runs a program beside this process, which goes on with its load; resolves to the exit code. */
async function inBackground(command, args, env = {}) {
  const options = { cwd: directory, env: { ...environment, ...env }, stdio: 'ignore' };
  const [code] = await once(spawn(command, args, options), 'close');
  return code;
}

function checkNothingFailed(what, responses, isWell = true) {
  const failed = responses.length - count(responses, 200, 201);
  const times = `99 % within ${quantile(responses, 0.99)} ms`;
  check(
    what,
    isWell && failed === 0,
    `${responses.length} requests, ${failed} failed (${times})${failed ? tally(responses) : ''}`,
  );
}

/** File modes of a checkout with another umask; passwords keep the modes of make-env.sh. */
const setModes = (mode) =>
  run('find', ['.', '-path', './secrets', '-prune', '-o', '-exec', 'chmod', mode, '{}', '+']);

async function firstStart() {
  setModes('go=');
  run('sh', ['-c', 'umask 077; sh deploy/make-env.sh']);
  const unnamed = () =>
    run('docker', ['images', '--quiet', '--filter', 'dangling=true']).text.split('\n').filter(Boolean);
  const before = new Set(unnamed());
  const builtAt = performance.now();
  upSingle();
  check('first start, with the build of the image', true, seconds(builtAt));
  check(
    'the build leaves no image without a name',
    unnamed().every((id) => before.has(id)),
  );
  const size = run('docker', ['image', 'inspect', '-f', '{{.Size}}', 'petstore-trial:trial']).text;
  check('size of the image', true, `${Math.round(size / 1e6)} MB, with its base`);
  setModes('g=rX');
  run('docker', ['build', '--quiet', '--tag', 'petstore-trial:trial-027', '.']);
  const version = run('docker', ['run', '--rm', 'petstore-trial:trial-027', 'petstore', '--version'], {
    mayFail: true,
  });
  setModes('go=');
  check('made with umask 077, and its image with 027', version.status === 0, version.text);
  const log = compose('logs', 'api');
  check('the banner names the published port', log.includes(`localhost:${PORTS.API_PORT}/v1`));
  const files = ['api', 'database'].map((name) => compose('exec', '--no-TTY', name, 'env'));
  const secret = readFileSync(join(directory, 'secrets/petstore_api'), 'utf8');
  check('no container has a password in its environment', !files.join().includes(secret));
}

async function everyOperation(key) {
  const call = (method, path, body) => send(SINGLE, { key, method, path, body });
  const pet = { name: 'Rex', categoryId: 7, status: 'available' };
  const created = await call('POST', '/v1/pets', JSON.stringify(pet));
  const id = created.headers.location?.split('/').at(-1);
  const order = await call('POST', '/v1/store/orders', `{"petId":${id}}`);
  const orderId = order.headers.location?.split('/').at(-1);
  const responses = [
    ...[created, order],
    await call('GET', '/v1/pets?limit=3'),
    await call('GET', `/v1/pets/${id}`),
    await call('PATCH', `/v1/pets/${id}`, '{"name":"Max"}'),
    await call('GET', '/v1/store/orders'),
    await call('GET', `/v1/store/orders/${orderId}`),
    await call('PATCH', `/v1/store/orders/${orderId}`, '{"status":"cancelled"}'),
    await call('DELETE', `/v1/pets/${id}`),
    await call('GET', '/v1/store/inventory'),
    await call('GET', '/v1/usage'),
    ...[await call('GET', '/docs'), await call('GET', '/openapi.json')],
  ];
  const areWell = responses.every(({ status }) => status < 300);
  check('every operation responds', areWell, tally(responses));
}

function restrictions() {
  for (const name of ['api', 'database']) {
    const id = compose('ps', '--quiet', name);
    const [{ HostConfig: host }] = JSON.parse(run('docker', ['inspect', id]).text);
    const isBound = host.Memory > 0 && host.NanoCpus === 1e9 && host.PidsLimit > 0;
    const isClosed = host.ReadonlyRootfs && String(host.CapDrop) === 'ALL';
    check(
      `${name}: read-only, no capabilities, limits`,
      isBound && isClosed,
      `${host.Memory / 2 ** 20} MiB, 1 CPU`,
    );
  }
}

const ABUSES = [
  ['petstore', 'select pg_advisory_lock(g) from generate_series(1, 20000) as g'],
  [
    'petstore',
    `select pg_logical_emit_message(false, 'x', repeat('x', 1000000)) from generate_series(1, 141)`,
  ],
  ['petstore', 'lock table plans'],
  ['petstore', `set temp_file_limit = -1`],
  ['postgres', 'select 1'],
];

/** Statements by an operator login that would stop the service. */
async function abuse(key) {
  const login = `PGPASSWORD=${readCopy('secrets/petstore_cli')} psql --host 127.0.0.1 --username petstore_cli`;
  // Else a failed login would look like a rejected statement.
  inService('database', 'sh', '-c', `${login} --dbname petstore --command 'select 1'`);
  for (const [database, statement] of ABUSES) {
    const command = `${login} --dbname ${database} --command "begin; ${statement}; select pg_sleep(2)"`;
    const args = ['exec', '--no-TTY', 'database', 'sh', '-c', command];
    const { responses, result } = await underLoad(SINGLE, key, () =>
      inBackground('docker', ['compose', ...args]),
    );
    checkNothingFailed(`an operator: ${statement} (${database}), rejected`, responses, result !== 0);
  }
  const { text } = run('docker', ['compose', 'run', '--rm', 'petstore', 'doctor'], { mayFail: true });
  check(
    'the doctor finds nothing',
    !/^(?:warn|fail)/m.test(text),
    text.match(/^(?:warn|fail).*$/gm)?.join() ?? 'yes',
  );
}

/** The commands of docs/operations.md and docs/alerts.md, except pipelines. */
function runbooks() {
  const text = ['operations', 'alerts']
    .map((name) => readFileSync(join(directory, `docs/${name}.md`), 'utf8'))
    .join('\n');
  const commands = new Set([...text.matchAll(/`(docker compose [^`|]+)`/g)].map(([, command]) => command));
  // For the import of keys, by the user of the container.
  const folder = join(directory, 'import');
  mkdirSync(folder);
  chownSync(folder, 1000, 1000);
  writeFileSync(join(folder, 'customers.csv'), 'name,plan\nAcme,free\n');
  const failed = [...commands].filter((command) => {
    // As in a terminal, and with nothing to read.
    const { status } = run('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      input: '\\q\n',
      mayFail: true,
    });
    return status !== 0;
  });
  check(
    'commands of the runbooks',
    commands.size > 5 && failed.length === 0,
    `${commands.size} run${failed.map((one) => `; failed: ${one}`).join('')}`,
  );
}

/**
 * Checks that `work` succeeds, and records how many requests fail meanwhile. Returns the number of acknowledged pets.
 * @param {number} [longest] the seconds below which requests must fail
 */
async function interrupted(what, origin, key, work, longest = Infinity) {
  const { responses, result } = await underLoad(origin, key, work);
  const { status } = await send(origin, { key });
  const failed = responses.length - count(responses, 200, 201);
  const lasting = outage(responses);
  check(
    what,
    result === 0 && status === 200 && lasting < longest,
    `${failed} of ${responses.length} requests failed, within ${lasting} s${failed ? ` ${tally(responses)}` : ''}`,
  );
  return count(responses, 201);
}

const killed = (what, origin, key, name) =>
  interrupted(`${what}, ${name}: killed and started again`, origin, key, async () => {
    await inBackground('docker', ['compose', '--profile', 'scale', 'kill', name]);
    const code = await inBackground('docker', ['compose', '--profile', 'scale', 'start', name]);
    await delay(10_000);
    return code;
  });

async function exactLimits() {
  const key = issueKey('limited', 100);
  const responses = await Promise.all(Array.from({ length: 600 }, () => send(BALANCED, { key })));
  const admitted = count(responses, 200);
  check('limits: 600 requests at once, 100 a day', admitted === 100, `${admitted} admitted`);
}

async function memory(key) {
  const burst = () => Promise.all(Array.from({ length: 4000 }, () => send(BALANCED, { key })));
  const { responses, result } = await underLoad(BALANCED, key, burst);
  const id = compose('ps', '--quiet', 'api-1');
  const usage = run('docker', ['stats', '--no-stream', '--format', '{{.MemUsage}}', id]).text;
  checkNothingFailed('4,000 requests at once on 200 connections', responses.concat(result));
  check('memory of a replica after that', true, usage.replace('/', 'of'));
}

/** Requests without a key count against the address that HAProxy saw, whatever the client writes. */
async function addresses() {
  const forged = Array.from({ length: 300 }, (_, i) => ({ 'x-forwarded-for': `192.0.2.${i % 250}` }));
  const keyless = await Promise.all(forged.map((headers) => send(BALANCED, { headers })));
  const isLimited = count(keyless, 429) > 0 && count(keyless, 401, 429) === 300;
  check('300 requests without a key, each with another X-Forwarded-For', isLimited, tally(keyless));
}

async function withoutReplicas(key) {
  compose('stop', ...REPLICAS);
  closeIdle();
  const { outcome } = await send(BALANCED, { key });
  check('without a replica', outcome === '503 service_unavailable by HAProxy', outcome);
}

const rotate = (name) => () => inBackground('sh', ['deploy/rotate.sh', name]);
const roll = (image) => () => inBackground('sh', ['deploy/roll.sh'], { PETSTORE_IMAGE: image });

const containers = () =>
  String(REPLICAS.concat('haproxy', 'pgbouncer').map((name) => compose('ps', '--quiet', name)));

function checkNextUp() {
  const before = containers();
  upScale();
  check('the next up replaces nothing', containers() === before);
}

async function rolls(key) {
  // Another image of the files, too.
  appendFileSync(inCopy('prisma/roles.sql'), '-- trial\n');
  const next = await underLoad(BALANCED, key, async () => {
    const env = { PETSTORE_IMAGE: 'petstore-trial:trial-next' };
    return (await inBackground('sh', ['deploy/build.sh'], env)) || (await roll(env.PETSTORE_IMAGE)());
  });
  checkNothingFailed('roll to another image', next.responses, next.result === 0);
  const broken = await underLoad(BALANCED, key, rollToBroken);
  const healthy = REPLICAS.filter((name) => compose('ps', name).includes('(healthy)'));
  checkNothingFailed(
    `roll to an image that exits: goes back by itself, ${healthy.length} replicas`,
    broken.responses,
    broken.result === 0 && healthy.length === 3,
  );
  const back = await underLoad(BALANCED, key, roll('petstore-trial:trial'));
  checkNothingFailed('roll back', back.responses, back.result === 0);
  checkNextUp();
}

const presentRole = () =>
  [...readCopy('.env').matchAll(/^PETSTORE_API_ROLE=(\w+)$/gm)].at(-1)?.[1] ?? 'petstore_api';

/** What happens to `secrets` and .env over time, and whether retired passwords are rejected. */
async function secrets(key) {
  const role = presentRole();
  const file = inCopy(`secrets/${role}`);
  const former = readFileSync(file);
  writeFileSync(`${file}.new`, '7'.repeat(48), { mode: 0o644 });
  renameSync(`${file}.new`, file);
  const up = run('docker', ['compose', 'up', '--detach', '--wait'], { mayFail: true });
  const said = compose('logs', '--no-log-prefix', '--tail', '1', 'roles');
  check(
    'a new file in secrets/, by mv: `up` stops and says why',
    up.status !== 0 && /sh deploy\/rotate.sh api/.test(said),
  );
  const { responses } = await underLoad(SINGLE, key, () =>
    inBackground('docker', ['compose', 'restart', '--no-deps', 'database']),
  );
  await delay(3000);
  const { status } = await send(SINGLE, { key });
  check(
    'then the database restarts',
    status === 200,
    `${count(responses, 503)} of ${responses.length} requests got 503`,
  );
  writeFileSync(file, former);
  upSingle();
  const full = sh('ulimit -f 0; trap "" XFSZ; sh deploy/rotate.sh owner');
  check(
    'a full disk leaves the former file',
    full.status !== 0 && readCopy('secrets/petstore_owner').length === 48,
  );
  writeFileSync(inCopy('.env'), readCopy('.env').replaceAll('\n', '\r\n'));
  for (const form of [
    'PETSTORE_API_ROLE=petstore_api\r',
    "export PETSTORE_API_ROLE = 'petstore_api_2' # ours",
  ]) {
    set(form);
    upSingle();
    const present = /petstore_api\w*/.exec(form)[0];
    const retired = readCopy(`secrets/${present}`);
    const couldLogIn = canLogIn(present, retired);
    const { status: code } = sh('sh deploy/rotate.sh api');
    const isRejected = couldLogIn && code === 0 && !canLogIn(present, retired);
    check(`rotation with ${JSON.stringify(form)} in .env: the retired password is rejected`, isRejected);
  }
  const unknown = sh('sh deploy/rotate.sh api 2>&1', { PETSTORE_API_ROLE: 'shop' });
  check(
    'an unknown role is an error',
    unknown.status !== 0 && /PETSTORE_API_ROLE is shop/.test(unknown.text),
  );
}

/** The process waits for its database, and starts when it comes. */
async function databaseAway(key) {
  compose('stop', 'api', 'database');
  compose('up', '--detach', '--no-deps', 'api');
  await delay(15_000);
  const state = run('docker', [
    'inspect',
    '-f',
    '{{.RestartCount}} {{.State.Status}}',
    compose('ps', '--quiet', 'api'),
  ]).text;
  const waits =
    compose('logs', '--no-log-prefix', '--since', '15s', 'api').match(/waiting for it/g)?.length ?? 0;
  const beganAt = performance.now();
  compose('start', 'database');
  while ((await send(SINGLE, { key })).status !== 200 && performance.now() - beganAt < 60_000)
    await delay(100);
  const isWell = state === '0 running' && waits > 1 && performance.now() - beganAt < 30_000;
  check(
    'a start without the database waits, and serves after it came',
    isWell,
    `${waits} lines in 15 s, ${seconds(beganAt)}`,
  );
  const bare = sh('docker run --rm --memory 160m "$PETSTORE_IMAGE" 2>&1');
  check(
    'the image with too little memory, and without any environment, says what it needs',
    bare.status === 1 && /^Set DATABASE_URL/m.test(bare.text) && bare.text.includes('set at least 192 MB'),
    bare.text.slice(0, 90),
  );
}

/** docs/platforms.md: an image, PORT and DATABASE_URL. */
async function platform() {
  const network = Object.keys(
    JSON.parse(run('docker', ['inspect', compose('ps', '--quiet', 'database')]).text)[0].NetworkSettings
      .Networks,
  )[0];
  const url = `postgresql://petstore_owner:${readCopy('secrets/petstore_owner')}@database:5432/petstore`;
  run('docker', [
    'run',
    '--detach',
    '--name',
    'petstore-trial-platform',
    '--network',
    network,
    '--env',
    'PORT=3001',
    '--env',
    `DATABASE_URL=${url}`,
    environment.PETSTORE_IMAGE,
  ]);
  const ask = `fetch('http://127.0.0.1:3001/health').then(async (r) => console.log(r.status, await r.text()), () => console.log(0))`;
  let text = '';
  for (let i = 0; i < 60 && !text.startsWith('200'); i += 1) {
    ({ text } = run('docker', ['exec', 'petstore-trial-platform', 'node', '-e', ask], { mayFail: true }));
    await delay(250);
  }
  const log = run('docker', ['logs', 'petstore-trial-platform']).text;
  check(
    'docker run with PORT=3001 and DATABASE_URL alone',
    text === '200 {"status":"ready"}' && log.includes(':3002/health/ready'),
    text,
  );
  run('docker', ['rm', '--force', 'petstore-trial-platform']);
}

/** docs/reverse-proxy.md, before one container or before HAProxy. */
async function proxies(what, port, key) {
  const names = port === PORTS.API_PORT ? ['api'] : REPLICAS;
  const logged = (since) => compose('logs', '--no-log-prefix', '--since', since, ...names);
  for (const { name, figure, isWell } of await tryProxies({ directory, port, key, logged })) {
    check(`${name} ${what}: 500 requests at once, Location, addresses`, isWell, figure);
  }
}

const isReachable = (origin) =>
  fetch(`${origin}/health`).then(
    () => true,
    () => false,
  );

/** Published on the loopback address alone, with a proxy on this machine. */
async function publishing(key) {
  const before = readCopy('.env');
  set('API_BIND=127.0.0.1\nTRUST_PROXY=1');
  upSingle();
  const isOpen = ADDRESS !== undefined && (await isReachable(`http://${ADDRESS}:${PORTS.API_PORT}`));
  check('API_BIND=127.0.0.1 publishes there alone', !isOpen && (await isReachable(SINGLE)));
  await proxies('before one container', PORTS.API_PORT, key);
  writeFileSync(inCopy('.env'), before);
  upSingle();
}

/** Each file of `COMPOSE_FILE` does what it says, with one container and with three replicas. */
async function dashboard(up, what) {
  const env = { COMPOSE_FILE: 'docker-compose.yml:deploy/dashboard.yml' };
  run('docker', ['compose', ...up, '--detach', '--wait'], { env });
  const { status } = await fetch(`http://127.0.0.1:${PORTS.DASHBOARD_PORT}/dashboard`);
  const isOpen = ADDRESS !== undefined && (await isReachable(`http://${ADDRESS}:${PORTS.DASHBOARD_PORT}`));
  check(`the dashboard, ${what}`, status === 200 && !isOpen, status);
}

/** A changed configuration and a renewed certificate are used, and no request fails meanwhile. */
async function configuration(key) {
  const haproxy = inCopy('deploy/haproxy/haproxy.cfg');
  const added = '  http-response set-header X-Trial yes\n';
  writeFileSync(
    haproxy,
    readCopy('deploy/haproxy/haproxy.cfg').replace('  default_backend api\n', `$&${added}`),
  );
  const changed = await underLoad(BALANCED, key, () => inBackground('sh', ['deploy/roll.sh']));
  closeIdle();
  const { headers } = await send(BALANCED, { key });
  checkNothingFailed(
    'an upgrade with a changed haproxy.cfg loads it',
    changed.responses,
    changed.result === 0 && headers['x-trial'] === 'yes',
  );
  writeFileSync(haproxy, `${readCopy('deploy/haproxy/haproxy.cfg')}nonsense\n`);
  check(
    'a wrong haproxy.cfg is rejected',
    sh('sh deploy/reload.sh').status !== 0 &&
      // HAProxy could restart now.
      sh(`docker compose exec --no-TTY haproxy haproxy -c -f /configuration/haproxy/haproxy.cfg`).status ===
        0 &&
      (await send(BALANCED, { key })).status === 200,
  );
  writeFileSync(haproxy, readCopy('deploy/haproxy/haproxy.cfg').replace('nonsense\n', '').replace(added, ''));
  const names = ['one', 'two'];
  for (const name of names) selfSigned(directory, name);
  const env = { COMPOSE_FILE: 'docker-compose.yml:deploy/haproxy/tls.yml' };
  const served = () =>
    /CN ?= ?(\w+)/.exec(
      sh(
        `openssl s_client -connect 127.0.0.1:${PORTS.HAPROXY_TLS_PORT} </dev/null 2>/dev/null | openssl x509 -noout -subject`,
      ).text,
    )?.[1];
  sh('sh deploy/certificate.sh one.crt one.key', env);
  run('docker', ['compose', '--profile', 'scale', 'up', '--detach', '--wait', '--scale', 'api=0'], { env });
  const first = served();
  const renewed = await underLoad(`https://127.0.0.1:${PORTS.HAPROXY_TLS_PORT}`, key, () =>
    inBackground('sh', ['deploy/certificate.sh', 'two.crt', 'two.key'], env),
  );
  checkNothingFailed(
    'a renewed certificate is served',
    renewed.responses,
    `${first} ${served()}` === 'one two',
  );
  const mixed = sh('sh deploy/certificate.sh one.crt two.key', env);
  check('a certificate with another key is rejected', mixed.status !== 0 && served() === 'two');
}

/** Whether a role of the service can log in with the content of a file of `secrets`. */
function canLogIn(role, password) {
  const url = `postgresql://${role}:${password}@database:5432/petstore?sslmode=disable`;
  const login = ['-e', `DATABASE_URL=${url}`, '-e', 'DATABASE_PASSWORD_FILE=', 'petstore', 'doctor'];
  const { text } = run('docker', ['compose', 'run', '--rm', ...login], { mayFail: true });
  return !/password authentication failed/.test(text) && /ok/.test(text);
}

async function rotations(key) {
  const role = presentRole();
  const former = readFileSync(join(directory, 'secrets', role), 'utf8');
  const couldLogIn = canLogIn(role, former);
  for (const name of ['api', 'owner', 'cli', 'postgres']) {
    const { responses, result } = await underLoad(BALANCED, key, rotate(name));
    checkNothingFailed(`rotation of the password ${name}`, responses, result === 0);
  }
  check('the former password became invalid', couldLogIn && !canLogIn(role, former));
}

const prometheus = async (path) =>
  await (await fetch(`http://127.0.0.1:${PORTS.PROMETHEUS_PORT}/api/v1/${path}`)).json();

/** Prometheus alone: Grafana's dashboard by its expressions. */
async function observation() {
  if (run('docker', ['image', 'inspect', 'prom/prometheus:v3.5.0'], { mayFail: true }).status !== 0) {
    const pulled = run('docker', ['compose', '--profile', 'observe', 'pull', '--quiet', 'prometheus'], {
      mayFail: true,
    });
    if (pulled.status !== 0) return check('Prometheus', true, 'not tried: its image cannot be had here');
  }
  compose('--profile', 'observe', 'up', '--detach', '--wait', 'prometheus');
  await delay(90_000);
  const { data } = await prometheus('targets?state=active');
  const up = data.activeTargets.filter(({ health }) => health === 'up');
  check('targets of Prometheus', up.length === 4, `${up.length} of ${data.activeTargets.length} up`);
  const rules = (await prometheus('rules')).data.groups.flatMap((group) => group.rules);
  check(
    'rules of Prometheus',
    rules.every(({ health }) => health === 'ok'),
    `${rules.length} healthy`,
  );
  const { panels } = JSON.parse(readCopy('deploy/grafana/dashboards/petstore.json'));
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const without = [];
  for (const expr of expressions) {
    const query = encodeURIComponent(expr.replaceAll('$__rate_interval', '1m'));
    const { data: found } = await prometheus(`query?query=${query}`);
    if (found?.result.length === 0) without.push(expr);
  }
  check(
    'expressions of the dashboard that have data',
    without.length === 0,
    `${expressions.length - without.length} of ${expressions.length}${without.map((one) => `; none: ${one}`).join('')}`,
  );
}

function countRows() {
  const text = 'select count(*), (select count(*) from api_keys) from pets';
  return inDatabase('psql', ['--dbname', 'petstore', '--no-align', '--tuples-only', '--command', text]).text;
}

/** The profile backup: it writes a dump and the audit at its start, which are restored below. */
function backups() {
  run('docker', ['compose', '--profile', 'backup', 'up', '--detach', '--wait', 'backup', 'audit-export']);
  const files = [inService('backup', 'ls', '/backups').text, inService('audit-export', 'ls', '/audit').text];
  check(
    'the profile backup',
    /^petstore-\w+Z\.dump$/.test(files[0]) && files[1] === 'audit.jsonl',
    files.join(', '),
  );
  const loop =
    'printf "1\\n2\\n1\\n" | while read -r id; do docker compose run --rm petstore keys show "$id" --json </dev/null; done';
  const { text } = sh(loop);
  check('a loop over `docker compose run` has all its rounds', text.match(/"id": ?\d/g)?.length === 3);
}

/** The commands of docs/deployment.md. */
function backupAndRestore() {
  const petstore = (...words) => compose('run', '--rm', 'petstore', ...words);
  const leaked = JSON.parse(petstore('keys', 'issue', '--json', '--name', 'leaked', '--plan', 'free')).id;
  inService('backup', 'sh', '/petstore/deploy/postgres/backup.sh', 'once');
  const newest = 'cat "$(ls /backups/*.dump | tail -n 1)"';
  const dump = inService('backup', 'sh', '-c', newest).stdout;
  const before = countRows();
  petstore('keys', 'revoke', String(leaked), '--yes');
  inService('audit-export', 'petstore', 'audit', '--export', '/audit/audit.jsonl');
  compose('--profile', 'backup', 'stop', 'backup', 'audit-export');
  compose('stop', 'api', 'pgbouncer', ...REPLICAS);
  inDatabase('psql', ['--command', 'alter database petstore rename to petstore_before']);
  inDatabase('createdb', ['--owner', 'petstore_owner', '--template', 'template0', 'petstore']);
  const restoredAt = performance.now();
  inDatabase('pg_restore', ['--dbname', 'petstore', '--exit-on-error'], { input: dump });
  check('restore of the backup', countRows() === before, `${before} pets and keys, ${seconds(restoredAt)}`);
  compose('run', '--rm', 'migrate');
  sh(`docker compose --profile backup run --rm --no-deps --no-TTY audit-export cat /audit/audit.jsonl > audit.jsonl
docker compose run --rm --no-TTY migrate petstore db restored --audit - --ids-after 2000000 --yes < audit.jsonl`);
  const { state } = JSON.parse(petstore('keys', 'show', String(leaked), '--json'));
  check('what was revoked after the backup is revoked again', state === 'revoked', state);
}

function removeImages() {
  const names = ['', '-former', '-next', '-broken', '-027']
    .map((suffix) => `petstore-trial:trial${suffix}`)
    .concat('petstore-trial:before', 'petstore-trial:failed');
  run('docker', ['image', 'rm', '--force', ...names], { mayFail: true });
}

/** Containers, networks and volumes: of this run, or of one that was interrupted. */
function removeAll() {
  compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
  closeIdle();
}

/** A checkout of a release, or this one, in place of the one before it; passwords and settings stay. */
function checkOut(release) {
  for (const name of readdirSync(directory)) {
    if (name !== '.env' && name !== 'secrets') rmSync(inCopy(name), { recursive: true });
  }
  if (release === undefined) return copyRoot();
  // The modes of this checkout: other ones would make other images.
  const words = ['-c', 'tar.umask=022', 'archive', release];
  const { stdout } = spawnSync('git', words, { cwd: ROOT, maxBuffer: 2 ** 28 });
  run('tar', ['-x'], { input: stdout });
}

const build = () => inBackground('sh', ['deploy/build.sh']);

/** Rolls three replicas to an image under load. HAProxy is replaced if the release changes its definition. */
function rollTo(what, key, image, prepare) {
  const work = async () => {
    environment.PETSTORE_IMAGE = image;
    await prepare?.();
    const status = await inBackground('sh', ['deploy/roll.sh']);
    const { Image: running } = JSON.parse(compose('ps', '--format', 'json', 'api-1'));
    return running === image ? status : 1;
  };
  return interrupted(what, BALANCED, key, work, 10);
}

function startThree() {
  upScale();
  return issueKey('trial');
}

/** From the release before to this one, back and again, under load; then back to it on a database that this one made. */
async function upgrades(release) {
  const images = [environment.PETSTORE_IMAGE, 'petstore-trial:trial-former'];
  environment.PETSTORE_IMAGE = images[1];
  checkOut(release);
  run('sh', ['deploy/make-env.sh']);
  run('sh', ['deploy/build.sh']);
  const key = startThree();
  checkOut();
  const acknowledged =
    (await rollTo(`upgrade from ${release}, and the build of the image`, key, images[0], build)) +
    (await rollTo(`back to ${release}`, key, images[1])) +
    (await rollTo('upgrade once more', key, images[0]));
  checkNextUp();
  const [pets] = countRows().split('|');
  // One without a response may be there, too.
  check(
    'acknowledged pets that are there',
    Number(pets) >= acknowledged,
    `${pets}, acknowledged ${acknowledged}`,
  );
  check('the doctor after the upgrade', sh('docker compose run --rm petstore doctor').status === 0);
  removeAll();
  await rollTo(`${release} on a database that this release made`, startThree(), images[1]);
  removeAll();
  [environment.PETSTORE_IMAGE] = images;
  for (const name of ['.env', 'secrets']) rmSync(inCopy(name), { recursive: true });
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Rolls to an image that exits: 0 if the script reports failure. Rebuilt each time, because the rollback moves its tag. */
async function rollToBroken() {
  run('docker', ['build', '--quiet', '--tag', 'petstore-trial:trial-broken', '-'], { input: BROKEN });
  return (await roll('petstore-trial:trial-broken')()) === 0 ? 1 : 0;
}

async function trial() {
  const [release] = process.argv.slice(2);
  if (release !== undefined) await upgrades(release);
  await firstStart();
  const key = issueKey('trial');
  await everyOperation(key);
  restrictions();
  await abuse(key);
  runbooks();
  await interrupted('rotation, one container', SINGLE, key, rotate('api'));
  await interrupted('one container, an image that exits: goes back by itself', SINGLE, key, rollToBroken);
  upSingle();
  await secrets(key);
  await databaseAway(key);
  await platform();
  await publishing(key);
  await dashboard(['up'], 'one container');
  for (const name of ['api', 'database']) await killed('one container', SINGLE, key, name);
  const scaledAt = performance.now();
  compose('build', 'pgbouncer');
  upScale();
  check('start of the profile scale', true, seconds(scaledAt));
  await exactLimits();
  await dashboard(['--profile', 'scale', 'up', '--scale', 'api=0'], 'three replicas');
  upScale();
  await configuration(key);
  upScale();
  await memory(key);
  await rolls(key);
  await rotations(key);
  for (const name of ['api-1', 'pgbouncer', 'haproxy', 'database']) {
    await killed('scale', BALANCED, key, name);
  }
  await observation();
  await addresses();
  set(`HAPROXY_BIND_ADDRESS=127.0.0.1\nPROXY_HOPS=2\nHAPROXY_CONNECTIONS_PER_ADDRESS=3000`);
  upScale();
  await proxies('before HAProxy', PORTS.HAPROXY_PORT, key);
  backups();
  await withoutReplicas(key);
  backupAndRestore();
  run('docker', ['compose', '--profile', '*', 'down']);
  check('down leaves nothing', compose('ps', '--all', '--quiet') === '');
  upScale();
  closeIdle();
  const { status } = await send(BALANCED, { key });
  check('after down and up the data and the keys are there', status === 200);
}

const version = run('docker', ['compose', 'version', '--short'], { mayFail: true });
const engine = run('docker', ['version', '--format', '{{.Server.Version}}'], { mayFail: true });
if (version.status !== 0 || engine.status !== 0) {
  console.error('This needs a container engine with "docker compose", and none responds here.');
  process.exit(1);
}
copyRoot();
try {
  removeAll();
  await trial();
} finally {
  removeAll();
  removeImages();
  rmSync(directory, { recursive: true });
}
console.log(`\nDocker Engine ${engine.text}, Compose ${version.text}, ${cpus().length} cores\n`);
console.log(
  ['| Test | Result |', '| --- | --- |', ...figures.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
);
console.log(failures === 0 ? '\nall promises hold' : `\n${failures} promises do not hold`);
process.exitCode = failures === 0 ? 0 : 1;
