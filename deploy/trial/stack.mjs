// The profile scale of docker-compose.yml on this machine, without containers: the same HAProxy, PgBouncer and roles, and replicas
// with the same variables. Only host names, ports and paths differ.
import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { openTemporaryDatabase } from '../../tools/temporary-database.mjs';
import { accepts, freePorts, PATH, ROOT, start, stopAll, until, versionOf } from './programs.mjs';

export const REPLICAS = ['api-1', 'api-2', 'api-3'];

const PASSWORD = "trial ' \\ $";
const DEPLOY = join(ROOT, 'deploy');

/** PgBouncer keeps statements that were prepared by name since version 1.21. */
const [major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(versionOf('pgbouncer') ?? '') ?? []).slice(1).map(Number);
export const KEEPS_NAMED_STATEMENTS = major > 1 || minor >= 21;

/** Starts it all; `close` ends it all. */
export async function startStack() {
  const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const directory = mkdtempSync(join(tmpdir(), 'petstore-trial-'));
  const server = await openTemporaryDatabase({ settings: { fsync: 'on', full_page_writes: 'on' } });
  const urlOf = (role) => server.url.replace(/\/\/[^@]*@/, `//${role}@`);
  const close = async () => {
    await stopAll();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    makeRoles(server.socketDirectory);
    for (const command of ['migrate', 'roles'])
      await runCommandLine(urlOf('petstore_owner'), ['db', command]);
    const [haproxy, haproxyMetrics, pgbouncer, ...rest] = await freePorts(3 + 2 * REPLICAS.length);
    const ports = new Map(
      REPLICAS.map((name, i) => [name, { public: rest[2 * i], management: rest[2 * i + 1] }]),
    );
    const startPooler = () => startPgBouncer(directory, server.socketDirectory, pgbouncer);
    let pooler = await startPooler();
    const databaseUrl = `postgresql://petstore_api:${encodeURIComponent(PASSWORD)}@127.0.0.1:${pgbouncer}/petstore`;
    const replicas = new Map();
    const startOne = async (name) =>
      replicas.set(name, await startReplica(compose.services[name], name, ports.get(name), databaseUrl));
    for (const name of REPLICAS) await startOne(name);
    await startHaproxy(compose.services.haproxy, haproxy, haproxyMetrics, ports);

    /** Whether HAProxy sends requests to a replica. */
    const isUp = async (name) => {
      const metrics = await (await fetch(`http://127.0.0.1:${haproxyMetrics}/metrics`)).text();
      return metrics.includes(`haproxy_server_status{proxy="api",server="${name}",state="UP"} 1`);
    };
    for (const name of REPLICAS) await until(`${name} is up at HAProxy`, () => isUp(name));
    return {
      origin: `http://127.0.0.1:${haproxy}`,
      database: new pg.Pool({ connectionString: urlOf('postgres'), max: 4 }),
      isUp,
      close,
      restartReplica: async (name) => {
        const { child, ended } = replicas.get(name);
        child.kill('SIGTERM');
        const code = await ended;
        await startOne(name);
        await until(`${name} is up at HAProxy`, () => isUp(name));
        return code;
      },
      restartPgBouncer: async (whileAway = () => Promise.resolve()) => {
        pooler.child.kill('SIGKILL');
        await pooler.ended;
        await whileAway();
        pooler = await startPooler();
      },
      /** The last act of a trial: they do not come back. */
      killReplicas: async () => {
        for (const { child, ended } of replicas.values()) {
          child.kill('SIGKILL');
          await ended;
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Twice, as at a second start. */
function makeRoles(socketDirectory) {
  const names = ['OWNER', 'API', 'CLI'].map((name) => [`PETSTORE_${name}_PASSWORD`, PASSWORD]);
  const env = { PATH, PGHOST: socketDirectory, ...Object.fromEntries(names) };
  for (let run = 1; run <= 2; run += 1) {
    const { status, stderr } = spawnSync('sh', [join(DEPLOY, 'postgres/roles.sh')], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0 || stderr !== '') throw new Error(`roles.sh ended with ${status}: ${stderr}`);
  }
}

async function runCommandLine(databaseUrl, args) {
  const env = { PATH, DATABASE_URL: databaseUrl };
  const program = start('petstore', process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args], { env });
  const code = await program.ended;
  if (code !== 0) throw new Error(`petstore ${args.join(' ')} ended with ${code}: ${program.output()}`);
}

async function startPgBouncer(directory, socketDirectory, port) {
  const main = readFileSync(join(DEPLOY, 'pgbouncer/pgbouncer.ini'), 'utf8');
  const settings = join(directory, 'settings.ini');
  const users = join(directory, 'userlist.txt');
  const file = join(directory, 'pgbouncer.ini');
  copyFileSync(join(DEPLOY, 'pgbouncer/settings.ini'), settings);
  writeFileSync(users, `"petstore_api" "${PASSWORD}"\n`);
  writeFileSync(
    file,
    `[databases]
petstore = host=${socketDirectory} dbname=petstore
[pgbouncer]
%include ${settings}
auth_file = ${users}
listen_addr = 127.0.0.1
listen_port = ${port}
${KEEPS_NAMED_STATEMENTS ? /^max_prepared_statements.*$/m.exec(main)[0] : ''}
`,
  );
  // It does not run as root: then it runs as the server's user, who may enter the socket's directory.
  const { uid, gid } = statSync(socketDirectory);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, settings, users, file]) chownSync(path, uid, gid);
  const program = start('pgbouncer', 'pgbouncer', [file], {
    env: { PATH },
    cwd: directory,
    ...(isRoot && { uid, gid }),
  });
  await until('PgBouncer accepts', () => accepts(port), program);
  return program;
}

/** `${NAME:-default}` is its default: the trial reads no .env. */
const withDefaults = (value) => String(value).replaceAll(/\$\{\w+(?::-([^}]*))?\}/g, (_, word) => word ?? '');

async function startReplica({ environment }, name, { public: port, management }, databaseUrl) {
  const described = Object.entries(environment).map(([variable, value]) => [variable, withDefaults(value)]);
  const env = {
    ...Object.fromEntries(described),
    ...{ PATH, NODE_ENV: 'production', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl },
    ...{
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(management),
    },
    DATABASE_NAMED_STATEMENTS: KEEPS_NAMED_STATEMENTS ? 'on' : 'off',
  };
  const program = start(name, process.execPath, [join(ROOT, 'dist/main.js')], { env });
  const isReady = () =>
    fetch(`http://127.0.0.1:${management}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${name} is ready`, isReady, program);
  return program;
}

async function startHaproxy({ environment }, port, metricsPort, ports) {
  const env = {
    ...environment,
    PATH,
    HAPROXY_BIND: `127.0.0.1:${port}`,
    HAPROXY_METRICS_BIND: `127.0.0.1:${metricsPort}`,
    HAPROXY_ERRORS: join(DEPLOY, 'haproxy/errors'),
  };
  [...ports.values()].forEach((one, i) => {
    env[`HAPROXY_API_${i + 1}`] = `127.0.0.1:${one.public}`;
    env[`HAPROXY_API_${i + 1}_MANAGEMENT_PORT`] = String(one.management);
  });
  const program = start('haproxy', 'haproxy', ['-f', join(DEPLOY, 'haproxy/haproxy.cfg')], { env });
  await until('HAProxy accepts', () => accepts(port), program);
}
