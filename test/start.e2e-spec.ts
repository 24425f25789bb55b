import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runningEmbeddedUrl } from '../src/database/embedded/embedded-postgres.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { errorResponse, withFakePostgres } from './support/fake-postgres.js';
import { type RunningProgram, runProgram } from './support/process.js';
import { createTcpProxy, type TcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';

// A test starts several processes, some of them with a PostgreSQL of their own.
jest.setTimeout(180_000);

const BANNER = /Pet Store Service: (http:\S+)\/v1/;
const KEY = /^ {2}export PETSTORE_KEY=(psk_\w{38})$/m;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-start-'));
  // As root, PostgreSQL runs as another user, who has to enter it.
  await chmod(folder, 0o755);
});
afterAll(async () => {
  // Processes that a failed test left behind would keep the run from ending.
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all(started.map(({ ended }) => ended));
  await rm(folder, { recursive: true, force: true });
});

const started: RunningProgram[] = [];

function start(environment: Record<string, string>): RunningProgram {
  const program = runProgram('main.js', [], {
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    ...environment,
  });
  started.push(program);
  return program;
}

const stop = async (program: RunningProgram): Promise<void> => {
  program.child.kill('SIGTERM');
  expect(await program.ended).toBe(0);
};

const listed = async (origin: string, key: string): Promise<number> =>
  (await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } })).status;

async function blockPort(): Promise<{ readonly port: number; close(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

describe('a service without DATABASE_URL', () => {
  let environment: { readonly DATA_DIR: string };
  let failed: RunningProgram;
  let first: RunningProgram;
  let samples: readonly { readonly status?: string }[];
  let exampleStatus: number;
  let running: RunningProgram;
  let origin = '';
  let key = '';

  /** On new data: a start that fails, one that is killed, and one that goes on. */
  beforeAll(async () => {
    environment = { DATA_DIR: join(folder, "Rex's data $HOME") };
    const blocker = await blockPort();
    failed = start({ ...environment, PORT: String(blocker.port) });
    await failed.ended;
    blocker.close();

    first = start(environment);
    [, origin = ''] = await first.printed(BANNER);
    [, key = ''] = await first.printed(KEY);
    const headers = { authorization: `Bearer ${key}` };
    samples = (await (await fetch(`${origin}/v1/pets?limit=100`, { headers })).json()) as typeof samples;
    const [, example = ''] = await first.printed(/^ {2}curl [^\n]* \\\n {4}'(\S+)'$/m);
    exampleStatus = await listed(new URL(example).origin, key);
    first.child.kill('SIGKILL');
    await first.ended;

    running = start(environment);
    [, origin = ''] = await running.printed(BANNER);
  });
  afterAll(() => stop(running));

  /** The command line beside it. */
  async function petstore(...args: string[]) {
    const program = runProgram('cli/main.js', args, environment);
    return { code: await program.ended, ...program.output };
  }

  it('creates no key on a failed start, which never shows it', async () => {
    expect(await failed.ended).toBe(1);
    expect(failed.output).toEqual({ stdout: '', stderr: expect.stringContaining('is already in use') });
    expect(first.output.stdout).toMatch(KEY);
  });

  it('gives a new database samples and a key once, and keeps everything over a SIGKILL', async () => {
    expect(first.output.stdout).toMatch(/Created a new database with \d+ sample pets/);
    const statuses = new Set(samples.map(({ status }) => status));
    expect(statuses).toEqual(new Set(['available', 'pending', 'sold', undefined]));
    expect(exampleStatus).toBe(200);
    // A terminal of 80 columns breaks no line, and so no URL; the path of the data may be long.
    const lines = first.output.stdout.split('\n').filter((line) => !line.startsWith('Database: '));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(running.output.stdout).not.toMatch(KEY);
    expect(await listed(origin, key)).toBe(200);
  });

  it('prints a command that issues a key for the same data, as it was pasted', async () => {
    const [, hint = ''] = await running.printed(/^To issue an API key:\n\n {2}(.*)$/m);
    const { stdout } = await promisify(execFile)('sh', ['-c', hint], { env: { PATH: env['PATH'] } });
    const [issued = ''] = /psk_\w{38}/.exec(stdout) ?? [];
    expect(await listed(origin, issued)).toBe(200);
  });

  it('has a connection string that is valid for psql and other clients', async () => {
    const { code, stdout } = await petstore('db', 'url');
    expect(code).toBe(0);
    const pool = openTestPool(stdout.trim(), { max: 1 });
    const { rows } = await pool.query(
      'select current_database() as name, count(*) > 0 as "hasKey" from api_keys',
    );
    await pool.end();
    expect(rows).toEqual([{ name: 'petstore', hasKey: true }]);
  });

  it('is what the command line works on', async () => {
    expect(await petstore('db', 'migrate')).toEqual({ code: 0, stdout: 'Already up to date.\n', stderr: '' });
    const issued = await petstore('keys', 'issue', '--name', 'Acme', '--plan', 'free', '--json');
    const { id, key: secret } = JSON.parse(issued.stdout) as { id: number; key: string };
    expect(await listed(origin, secret)).toBe(200);
    expect(await petstore('keys', 'revoke', String(id))).toMatchObject({ code: 2, stdout: '' });
    const doctor = await petstore('doctor');
    expect(doctor).toMatchObject({ code: 0, stderr: '' });
    expect(doctor.stdout).not.toMatch(/^(?:warn|fail)/m);
  });

  it('rejects a second service on the same data, and says why', async () => {
    const rival = start(environment);
    expect(await rival.ended).toBe(1);
    expect(rival.output.stderr).toMatch(/^[^\n]*Another service[^\n]*\n$/);
    expect(await listed(origin, key)).toBe(200);
  });
});

describe('the log for people', () => {
  it('has a short line for each event, the settings that differ, and no warning of a stop', async () => {
    const program = start({
      ...{ DATA_DIR: join(folder, 'people'), LOG_FORMAT: 'text', LOG_LEVEL: 'info', BAN_SECONDS: '90' },
    });
    const [, origin = ''] = await program.printed(BANNER);
    await listed(origin, 'psk_');
    await stop(program);
    const lines = program.output.stderr.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: /);
    expect(program.output.stderr).toMatch(/ applied \d+ migrations, the last one is \w+\n/);
    expect(program.output.stderr).toMatch(
      / started \S+ on Node\.js v\S+ with host "127\.0\.0\.1", port 0, .*limits\.banSeconds 90\n/,
    );
    expect(program.output.stderr).toMatch(
      / GET \/v1\/pets: 401 invalid_api_key in [\d.]+ ms, 127\.0\.0\.1\n/,
    );
    expect(program.output.stdout).not.toContain('Ctrl-C');
  });
});

describe('two first starts at once', () => {
  it('print one key: the other one ends and says why', async () => {
    const environment = { DATA_DIR: join(folder, 'two') };
    const programs = [start(environment), start(environment)];
    const served = await Promise.any(programs.map((program) => program.printed(KEY).then(() => program)));
    const other = programs.find((program) => program !== served);
    expect(await other?.ended).toBe(1);
    expect(other?.output).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]*Another service[^\n]*\n$/),
    });
    const [, origin = ''] = await served.printed(BANNER);
    const [, key = ''] = await served.printed(KEY);
    expect(await listed(origin, key)).toBe(200);
    await stop(served);
  });
});

describe('a first start that a signal interrupts', () => {
  const MOMENTS: readonly [string, NodeJS.Signals, (dataDir: string, log: string) => boolean][] = [
    ['prepares the directory', 'SIGHUP', existsSync],
    [
      'creates the cluster',
      'SIGINT',
      (dataDir) => readdirSync(dataDir).some((name) => name.startsWith('initdb-')),
    ],
    ['has the cluster', 'SIGTERM', (dataDir) => existsSync(join(dataDir, 'cluster'))],
    ['starts the server', 'SIGINT', (dataDir) => existsSync(join(dataDir, 'cluster/postmaster.pid'))],
    ['connects to it', 'SIGTERM', (dataDir) => existsSync(join(dataDir, 'run/.s.PGSQL.5432'))],
    ['migrates the database', 'SIGHUP', (_dataDir, log) => log.includes('applied migration')],
    ['listens', 'SIGINT', (_dataDir, log) => log.includes('Server listening')],
  ];

  it.each(MOMENTS)(
    'while it %s (%s) ends with 0 and leaves no PostgreSQL running',
    async (moment, signal, isReached) => {
      const dataDir = join(folder, moment);
      const program = start({ DATA_DIR: dataDir, LOG_LEVEL: 'debug' });
      await eventually(() =>
        expect(existsSync(dataDir) && isReached(dataDir, program.output.stderr)).toBe(true),
      );
      program.child.kill(signal);
      expect(await program.ended).toBe(0);
      const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
      expect(stdout.split('\n').filter((line) => line.includes(dataDir))).toEqual([]);
      expect(program.output.stderr).not.toMatch(/^[^{]/m);
    },
  );
});

describe('npm start', () => {
  it('says in a sentence that another process builds the service', async () => {
    const root = fileURLToPath(new URL('..', import.meta.url));
    // A build that was killed leaves it.
    await rm(join(root, 'node_modules/.petstore-build'), { force: true });
    const other = spawn(
      process.execPath,
      [
        '-e',
        `require('net').createServer().listen('node_modules/.petstore-build', () => console.log('listening'))`,
      ],
      { cwd: root },
    );
    await once(other.stdout, 'data');
    const build = promisify(execFile)(process.execPath, [join(root, 'tools/build-alone.mjs')]);
    await expect(build).rejects.toMatchObject({
      code: 1,
      stderr: `Another process is building the service in ${root}. Wait until it is done, then try again.\n`,
    });
    other.kill();
    await once(other, 'close');
  });

  it('says in a sentence what is missing after an install without development packages', async () => {
    const clone = await mkdtemp(join(folder, 'clone-'));
    await cp(fileURLToPath(new URL('../tools', import.meta.url)), join(clone, 'tools'), {
      recursive: true,
      filter: (source) => !source.includes('node_modules'),
    });
    const build = promisify(execFile)(process.execPath, [join(clone, 'tools/build-alone.mjs')]);
    await expect(build).rejects.toMatchObject({
      code: 1,
      stderr: 'The build needs prisma and @nestjs/cli. Run "npm ci --include=dev".\n',
    });
  });
});

describe('a first start without a reader of its standard output', () => {
  it('prints the key on standard error, serves, and leaves no PostgreSQL behind', async () => {
    const dataDir = join(folder, 'unread');
    const program = start({ DATA_DIR: dataDir });
    program.child.stdout?.destroy();
    await eventually(() => expect(program.output.stderr).toMatch(KEY));
    const [, key = ''] = KEY.exec(program.output.stderr) ?? [];
    const [, origin = ''] = BANNER.exec(program.output.stderr) ?? [];
    expect(await listed(origin, key)).toBe(200);
    await stop(program);
    expect(runningEmbeddedUrl(dataDir)).toBeUndefined();
  });
});

describe('a start with DATABASE_URL', () => {
  it('migrates, also when several replicas start at once, and adds neither samples nor keys', async () => {
    const database = await createEmptyDatabase();
    const replicas = Array.from({ length: 3 }, () => start({ DATABASE_URL: database.url }));
    const banners = await Promise.all(replicas.map((replica) => replica.printed(BANNER)));
    expect(replicas.map(({ output }) => output.stdout)).toEqual(
      banners.map(([banner]) =>
        expect.stringMatching(
          new RegExp(
            `^\n${banner}\nDocumentation: http:\\S+/docs\nDashboard: http:\\S+/dashboard\nHealth: http:\\S+\nMetrics: http:\\S+\n$`,
          ),
        ),
      ),
    );
    const issued = runProgram('cli/main.js', ['keys', 'issue', '--name', 'cli', '--plan', 'pro', '--json'], {
      DATABASE_URL: database.url,
    });
    expect(await issued.ended).toBe(0);
    const { id, key } = JSON.parse(issued.output.stdout) as { id: number; key: string };
    expect(id).toBe(1);
    const [, origin = ''] = banners[0] ?? [];
    const response = await fetch(`${origin}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
    expect(await response.text()).toBe('[]');
    await Promise.all(replicas.map(stop));
    await database.drop();
  });
});

describe('a start whose database is away', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await createTcpProxy(database.url);
  });
  afterEach(async () => {
    await proxy.mode('cut');
    await proxy.mode('pass');
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  it('waits, says why, is live but not ready, and serves once it comes up', async () => {
    await proxy.mode('close');
    const blocker = await blockPort();
    blocker.close();
    const { port } = blocker;
    const program = start({ DATABASE_URL: proxy.url, MANAGEMENT_PORT: String(port) });
    await eventually(() => expect(program.output.stderr).toContain('waiting for it'));
    const lines = program.output.stderr.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: expect.stringMatching(/^Cannot reach the database: .*ECONNREFUSED.*; waiting for it$/),
      }),
    );
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(503);
    await proxy.mode('pass');
    const [, origin = ''] = await program.printed(BANNER);
    expect(await listed(origin, 'psk_')).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    await stop(program);
  });

  it('goes on when the connection breaks during the migrations', async () => {
    const empty = await createEmptyDatabase();
    await proxy.retarget(empty.url);
    const program = start({
      DATABASE_URL: proxy.url.replace(/[^/]+$/, new URL(empty.url).pathname.slice(1)),
      LOG_LEVEL: 'debug',
    });
    await eventually(() => expect(program.output.stderr).toContain('applied migration'));
    await proxy.mode('cut');
    await proxy.mode('pass');
    const [, origin = ''] = await program.printed(BANNER);
    expect(await listed(origin, 'psk_')).toBe(401);
    await stop(program);
    await empty.drop();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends at %s while it waits', async (signal) => {
    await proxy.mode('black-hole');
    const program = start({ DATABASE_URL: proxy.url });
    await eventually(() => expect(proxy.connections).toBeGreaterThan(0));
    program.child.kill(signal);
    expect(await program.ended).toBe(0);
    expect(program.output.stdout).toBe('');
  });
});

describe('a failing start', () => {
  const oneLine = /^[^\n]+\n$/;

  it('says that the port is in use', async () => {
    const database = await createTestDatabase();
    const blocker = await blockPort();
    const program = start({ DATABASE_URL: database.url, PORT: String(blocker.port) });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toMatch(oneLine);
    expect(program.output.stderr).toContain(`Port ${blocker.port} is already in use`);
    blocker.close();
    await database.drop();
  });

  it('says that the password is wrong, and does not wait', async () => {
    const rejected = errorResponse({ C: '28P01', M: 'password authentication failed for user "petstore"' });
    await withFakePostgres([rejected], async (port) => {
      const program = start({ DATABASE_URL: `postgresql://petstore:secret@127.0.0.1:${port}/petstore` });
      expect(await program.ended).toBe(1);
      expect(program.output.stderr).toMatch(oneLine);
      expect(program.output.stderr).toContain('Cannot reach the database: password authentication failed');
      expect(program.output.stderr).not.toContain('secret');
    });
  });

  it('says that the database does not exist', async () => {
    const database = await createTestDatabase();
    const program = start({ DATABASE_URL: database.url.replace(/\/[^/?]+(\?|$)/, '/nowhere$1') });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toMatch(oneLine);
    expect(program.output.stderr).toContain('"nowhere" does not exist');
    await database.drop();
  });

  it.each(['LATIN1', 'SQL_ASCII'])('says that the database is not UTF-8 but %s', async (encoding) => {
    const database = await createEmptyDatabase(`encoding ${encoding} locale_provider libc locale 'C'`);
    const program = start({ DATABASE_URL: database.url });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toMatch(oneLine);
    expect(program.output.stderr).toContain(` is ${encoding}, but must be UTF8`);
    await database.drop();
  });

  it('reports each error of the configuration in a line', async () => {
    const program = start({ PORT: 'many', LOG_LEVEL: 'loud' });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toMatch(
      /^The configuration is invalid:\n {2}PORT: .*\n {2}LOG_LEVEL: .*\n$/,
    );
  });
});
