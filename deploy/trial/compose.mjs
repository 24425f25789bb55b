// npm run trial:compose: what docker-compose.yml and docs/deployment.md promise, tried with a container engine, on a copy of this
// checkout, as a project of its own. It takes about ten minutes, and prints a table of what it measured.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { closeIdle, constantLoad, count, outage, quantile, send, shopRequest, tally } from './client.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LEFT_OUT = /^(?:\.git|\.env|\.petstore|secrets|dist|bench\/\.data|(?:.*\/)?node_modules)(?:\/|$)/;
const PORTS = { API_PORT: '13000', HAPROXY_PORT: '18080', PROMETHEUS_PORT: '19090', GRAFANA_PORT: '13030' };
const SINGLE = `http://127.0.0.1:${PORTS.API_PORT}`;
const BALANCED = `http://127.0.0.1:${PORTS.HAPROXY_PORT}`;
const REPLICAS = ['api-1', 'api-2', 'api-3'];

const environment = {
  ...process.env,
  ...PORTS,
  COMPOSE_PROJECT_NAME: 'petstore-trial',
  PETSTORE_IMAGE: 'petstore:trial',
};
const directory = mkdtempSync(join(tmpdir(), 'petstore-trial-'));

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
const inDatabase = (program, args, options) =>
  run(
    'docker',
    ['compose', 'exec', '--no-TTY', 'database', program, '--username', 'postgres', ...args],
    options,
  );

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

async function firstStart() {
  run('sh', ['deploy/make-env.sh']);
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
  const size = run('docker', ['image', 'inspect', '-f', '{{.Size}}', 'petstore:trial']).text;
  check('size of the image', true, `${Math.round(size / 1e6)} MB, with its base`);
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

/** What would stop the service for everybody, by the login of an operator. */
async function abuse(key) {
  const password = readFileSync(join(directory, 'secrets/petstore_cli'), 'utf8');
  const psql = [
    'exec',
    '--no-TTY',
    '--env',
    `PGPASSWORD=${password}`,
    'database',
    'psql',
    '--host',
    '127.0.0.1',
  ];
  for (const [database, statement] of ABUSES) {
    const args = [
      ...psql,
      '--username',
      'petstore_cli',
      '--dbname',
      database,
      '--command',
      `begin; ${statement}; select pg_sleep(2)`,
    ];
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

/** The commands of docs/operations.md and docs/alerts.md, but those that end somewhere else than they began. */
function runbooks() {
  const text = ['operations', 'alerts']
    .map((name) => readFileSync(join(directory, `docs/${name}.md`), 'utf8'))
    .join('\n');
  const commands = new Set([...text.matchAll(/`(docker compose [^`|]+)`/g)].map(([, command]) => command));
  const failed = [...commands].filter((command) => {
    // As in a terminal, and with nothing to read.
    const { status } = run(
      'script',
      ['--quiet', '--return', '--command', `${command} </dev/null`, '/dev/null'],
      { mayFail: true },
    );
    return status !== 0;
  });
  check(
    'commands of the runbooks',
    commands.size > 5 && failed.length === 0,
    `${commands.size} run${failed.map((one) => `; failed: ${one}`).join('')}`,
  );
}

/** How long requests fail while `work` replaces something, which it must get done. */
async function interrupted(what, origin, key, work) {
  const { responses, result } = await underLoad(origin, key, work);
  const { status } = await send(origin, { key });
  const failed = responses.length - count(responses, 200, 201);
  const figure = `${failed} of ${responses.length} requests failed, within ${outage(responses)} s`;
  check(what, result === 0 && status === 200, figure);
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

async function rolls(key) {
  run('docker', ['tag', 'petstore:trial', 'petstore:trial-next']);
  const next = await underLoad(BALANCED, key, roll('petstore:trial-next'));
  checkNothingFailed('roll to another image', next.responses, next.result === 0);
  const dockerfile = 'FROM petstore:trial\nCMD ["sh", "-c", "exit 1"]\n';
  run('docker', ['build', '--quiet', '--tag', 'petstore:trial-broken', '-'], { input: dockerfile });
  const broken = await underLoad(BALANCED, key, roll('petstore:trial-broken'));
  const running = REPLICAS.filter((name) => compose('ps', '--quiet', '--status', 'running', name) !== '');
  checkNothingFailed(
    `roll to an image that exits: stops, ${running.length} replicas stay`,
    broken.responses,
    broken.result !== 0 && running.length >= 2,
  );
  const back = await underLoad(BALANCED, key, roll('petstore:trial'));
  checkNothingFailed('roll back', back.responses, back.result === 0);
  const ids = () => REPLICAS.concat('haproxy', 'pgbouncer').map((name) => compose('ps', '--quiet', name));
  const before = String(ids());
  upScale();
  check('the next up replaces nothing', String(ids()) === before);
}

/** Whether a role of the service can log in with the content of a file of `secrets`. */
function canLogIn(role, password) {
  const url = `postgresql://${role}:${password}@database:5432/petstore?sslmode=disable`;
  const login = ['-e', `DATABASE_URL=${url}`, '-e', 'DATABASE_PASSWORD_FILE=', 'petstore', 'doctor'];
  const { text } = run('docker', ['compose', 'run', '--rm', ...login], { mayFail: true });
  return !/password authentication failed/.test(text) && /ok/.test(text);
}

async function rotations(key) {
  const role = /^PETSTORE_API_ROLE=(\w+)$/m.exec(readFileSync(join(directory, '.env'), 'utf8'))?.[1];
  const former = readFileSync(join(directory, 'secrets', role), 'utf8');
  const couldLogIn = canLogIn(role, former);
  for (const name of ['api', 'owner', 'cli', 'postgres']) {
    const { responses, result } = await underLoad(BALANCED, key, rotate(name));
    checkNothingFailed(`rotation of the password ${name}`, responses, result === 0);
  }
  check('the former password was valid, and is not', couldLogIn && !canLogIn(role, former));
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
  const dashboard = join(directory, 'deploy/grafana/dashboards/petstore.json');
  const { panels } = JSON.parse(readFileSync(dashboard, 'utf8'));
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

/** The commands of docs/deployment.md. */
function backupAndRestore() {
  const dump = inDatabase('pg_dump', ['--format', 'custom', 'petstore']).stdout;
  const before = countRows();
  compose('stop', 'api', 'pgbouncer', ...REPLICAS);
  inDatabase('psql', ['--command', 'alter database petstore rename to petstore_before']);
  inDatabase('createdb', ['--owner', 'petstore_owner', '--template', 'template0', 'petstore']);
  const restoredAt = performance.now();
  inDatabase('pg_restore', ['--dbname', 'petstore', '--exit-on-error'], { input: dump });
  check('restore of the backup', countRows() === before, `${before} pets and keys, ${seconds(restoredAt)}`);
}

function removeImages() {
  const names = ['', '-next', '-broken'].map((suffix) => `petstore:trial${suffix}`);
  run('docker', ['image', 'rm', '--force', ...names], { mayFail: true });
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function trial() {
  await firstStart();
  const key = issueKey('trial');
  await everyOperation(key);
  restrictions();
  await abuse(key);
  runbooks();
  await interrupted('rotation, one container', SINGLE, key, rotate('api'));
  for (const name of ['api', 'database']) await killed('one container', SINGLE, key, name);
  const scaledAt = performance.now();
  compose('build', 'pgbouncer');
  upScale();
  check('start of the profile scale', true, seconds(scaledAt));
  await exactLimits();
  await memory(key);
  await rolls(key);
  await rotations(key);
  for (const name of ['api-1', 'pgbouncer', 'haproxy', 'database']) {
    await killed('scale', BALANCED, key, name);
  }
  await observation();
  await addresses();
  await withoutReplicas(key);
  backupAndRestore();
  compose('--profile', 'observe', 'down');
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
cpSync(ROOT, directory, {
  recursive: true,
  filter: (path) => !statSync(path).isSocket() && !LEFT_OUT.test(relative(ROOT, path)),
});
try {
  await trial();
} finally {
  compose('--profile', 'observe', 'down', '--volumes', '--remove-orphans');
  removeImages();
  rmSync(directory, { recursive: true });
}
console.log(`\nDocker Engine ${engine.text}, Compose ${version.text}, ${cpus().length} cores\n`);
console.log(
  ['| Test | Result |', '| --- | --- |', ...figures.map((row) => `| ${row.join(' | ')} |`)].join('\n'),
);
console.log(failures === 0 ? '\nall promises hold' : `\n${failures} promises do not hold`);
process.exitCode = failures === 0 ? 0 : 1;
