// What the trials on this machine share: Debian's programs, a directory of their own, the service, and checks.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { send } from './client.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const DEBIAN = '/usr/lib/postgresql';
const [newest] = existsSync(DEBIAN)
  ? readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))
  : [];
/** The programs of Debian's newest PostgreSQL. */
export const BINARIES = `${DEBIAN}/${newest}/bin`;

/** PostgreSQL refuses root: the command prefix for its programs. */
export const AS_POSTGRES =
  process.getuid() === 0 ? 'setpriv --reuid=postgres --regid=postgres --clear-groups ' : '';

/** Ends the trial where Debian's packages are missing: each program with its package. */
export function requirePackages(programs) {
  const missing = Object.entries({ [`${BINARIES}/initdb`]: 'postgresql', ...programs })
    .filter(([program]) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0)
    .map(([, name]) => name);
  if (missing.length === 0) return;
  console.error(`Missing packages of Debian: apt-get install --no-install-recommends ${missing.join(' ')}`);
  process.exit(2);
}

// Cleans up all processes and files of a trial, even when interrupted.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** A directory of the user of PostgreSQL, which is removed at the end. */
export function makeDirectory(name) {
  const directory = mkdtempSync(join(tmpdir(), `petstore-${name}-`));
  chmodSync(directory, 0o755);
  if (AS_POSTGRES !== '') chownSync(directory, Number(spawnSync('id', ['-u', 'postgres']).stdout), -1);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * A shell in a directory, whose PATH begins with the programs as the documents call them: those that own files run as the user of
 * the server. It resolves to what the lines wrote.
 */
export function shellIn(directory, more) {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const program = (name, line) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 });
  for (const name of ['createdb', 'psql', 'pg_dump', 'pg_dumpall', 'pg_restore', 'vacuumdb'])
    program(name, `${BINARIES}/${name}`);
  program('pg_ctl', `${AS_POSTGRES}${BINARIES}/pg_ctl`);
  program('pgbackrest', `${AS_POSTGRES}/usr/bin/pgbackrest`);
  program('petstore', `${process.execPath} ${join(ROOT, 'dist/cli/main.js')}`);
  const environment = {
    ...{ ...process.env, ...more, PATH: `${bin}:${process.env.PATH}`, PETSTORE_ACTOR: 'trial' },
    ...{ PETSTORE_OWNER_PASSWORD: 'owner', PETSTORE_API_PASSWORD: 'api', PETSTORE_CLI_PASSWORD: 'cli' },
  };
  return async (lines, env = {}) => {
    const options = { cwd: directory, env: { ...environment, ...env }, maxBuffer: 2 ** 28 };
    return (await promisify(execFile)('sh', ['-euc', lines], options)).stdout.trim();
  };
}

/** New servers in a directory, by the shell of it. They end with this process. */
export function serversIn(directory, sh) {
  /** `url(role)` connects to its database, whose other programs find it by `env`. */
  const startServer = async (name, binaries, settings = []) => {
    const data = join(directory, name);
    const port = await freePort();
    await sh(
      `${AS_POSTGRES}${binaries}/initdb --pgdata=${data} --auth=trust --username=postgres --encoding=UTF8 --locale=C.UTF-8`,
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
    // Before the directory is removed.
    process.prependOnceListener('exit', () => spawnSync('sh', ['-c', lineToStop(server, 'immediate')]));
    await sh(`${AS_POSTGRES}${binaries}/pg_ctl --pgdata=${data} --log=${data}.log --wait start`);
    return server;
  };
  return { startServer, stopServer: (server, mode) => sh(lineToStop(server, mode)) };
}

const lineToStop = ({ data, binaries }, mode) =>
  `${AS_POSTGRES}${binaries}/pg_ctl --pgdata=${data} --mode=${mode} --wait stop`;

const givenPorts = new Set();
/** A port that nothing listens on, and that was not returned before. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  if (givenPorts.has(port)) return await freePort();
  givenPorts.add(port);
  return String(port);
}

/** The service, until `stop`: of this checkout, or of another one, and on ports of its own, or on those given. */
export async function startService(databaseUrl, logLevel, { root = ROOT, ports } = {}) {
  const [port, managementPort] = ports ?? [await freePort(), await freePort()];
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    PORT: port,
    MANAGEMENT_PORT: managementPort,
    LOG_LEVEL: logLevel,
  };
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}`;
  for (let wait = 0; (await send(origin, { path: '/openapi.json' })).status !== 200; wait += 1) {
    if (wait > 300) throw new Error('the service did not start');
    await delay(100);
  }
  const isReady = async () =>
    (await send(`http://127.0.0.1:${managementPort}`, { path: '/health/ready' })).status === 200;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  return { origin, isReady, stop };
}

/**
 * Starts HAProxy, which ends with this process, before the given ports of replicas and of their management.
 *
 * @param file a configuration like that of the compose file
 * @param env what it takes from the environment besides, such as where it listens
 */
export async function startHaproxy(file, replicas, env) {
  const defaults = {
    ...{ HAPROXY_METRICS_BIND: `127.0.0.1:${await freePort()}`, HAPROXY_DNS: '127.0.0.1:53' },
    HAPROXY_ERRORS: join(ROOT, 'deploy/haproxy/errors'),
  };
  for (const [i, [port, managementPort]] of replicas.entries()) {
    defaults[`HAPROXY_API_${i + 1}`] = `127.0.0.1:${port}`;
    defaults[`HAPROXY_API_${i + 1}_MANAGEMENT_PORT`] = managementPort;
  }
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: { ...process.env, ...defaults, ...env },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Prints a line for each promise. The trial fails if one does not hold. */
export function check(what, holds, figure = holds ? 'yes' : 'no') {
  if (!holds) process.exitCode = 1;
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${figure}`);
}

/** The identifier of what a request has made. */
export const idOf = ({ headers }) => BigInt(headers.location.split('/').at(-1));
