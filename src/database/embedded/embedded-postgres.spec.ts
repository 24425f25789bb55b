import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { copyOnce } from './binaries.js';
import { reachableDirectory } from './data-directory.js';
import { openEmbeddedPostgres, type EmbeddedPostgres, runningEmbeddedUrl } from './embedded-postgres.js';
import { eventually } from '../../../test/support/eventually.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { findPostmaster } from './server.js';
import { canEnter, canRun } from './server-account.js';

// Each first open costs most of a second: what is not about it shares a cluster, which each test leaves stopped.
let parent: string;
let shared: string;
let opened: EmbeddedPostgres[] = [];
let children: ChildProcess[] = [];

beforeAll(async () => {
  parent = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'petstore-spec-')));
  // As root the server is another user, who has to get in.
  fs.chmodSync(parent, 0o755);
  shared = join(parent, 'shared');
  await (await open()).close();
});

afterEach(async () => {
  await Promise.all(opened.map((postgres) => postgres.close()));
  for (const child of children) child.kill('SIGKILL');
  const left = serverPid();
  if (left !== undefined) process.kill(left, 'SIGKILL');
  opened = [];
  children = [];
});

afterAll(() => fs.rmSync(parent, { recursive: true, force: true, maxRetries: 5 }));

type Options = Partial<Parameters<typeof openEmbeddedPostgres>[0]>;

async function open(options: Options = {}): Promise<EmbeddedPostgres> {
  const settings = { fsync: 'off', shared_buffers: '16MB', ...options.settings };
  const all = { dataDir: shared, log: () => undefined, ...options, settings };
  const postgres = await openEmbeddedPostgres(all);
  opened.push(postgres);
  return postgres;
}

async function query(postgres: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}

const serverPid = (dataDir = shared) => findPostmaster(join(dataDir, 'cluster'));

describe('the embedded PostgreSQL', () => {
  it('creates the database at the first open and keeps its data over a restart', async () => {
    const dataDir = join(parent, 'first');
    const first = await open({ dataDir });
    await query(first, "create table kept as select 'ü' as word");
    await first.close();
    expect(serverPid(dataDir)).toBeUndefined();
    const second = await open({ dataDir });
    expect(await query(second, 'select word from kept')).toEqual(['ü']);
  });

  it('speaks UTF-8 in UTC with checksums, to a role that is no superuser, and takes settings', async () => {
    const postgres = await open({ settings: { work_mem: '5MB' } });
    const names = [
      'server_encoding',
      'TimeZone',
      'data_checksums',
      'is_superuser',
      'work_mem',
      'listen_addresses',
    ];
    const settings = names.map((name) => `current_setting('${name}')`).join(', ');
    expect(await query(postgres, `select ${settings}`)).toEqual(['UTF8', 'UTC', 'on', 'off', '5MB', '']);
  });

  it('keeps other users from the socket and the data', async () => {
    const postgres = await open();
    for (const directory of [postgres.socketDirectory, join(shared, 'cluster')]) {
      expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    }
  });

  it('works where the data directory is too long for a socket', async () => {
    const dataDir = join(parent, 'x'.repeat(100));
    const postgres = await open({ dataDir });
    expect(postgres.socketDirectory.startsWith('/tmp/petstore-')).toBe(true);
    expect(fs.lstatSync(postgres.socketDirectory).mode & 0o777).toBe(0o700);
    expect(await query(postgres, 'select 1')).toEqual([1]);
    await postgres.close();
    expect(fs.existsSync(postgres.socketDirectory)).toBe(false);
  });

  it('detects that an OS user cannot enter the directory of another', () => {
    const closed = join(parent, 'closed');
    fs.mkdirSync(closed, { mode: 0o700 });
    fs.writeFileSync(join(closed, 'postgres'), '', { mode: 0o755 });
    const other = { uid: 4_000_000, gid: 4_000_000 };
    expect(canEnter(other, parent)).toBe(true);
    expect(canEnter(other, closed)).toBe(false);
    expect(canRun(other, join(closed, 'postgres'))).toBe(false);
    fs.chmodSync(closed, 0o755);
    expect(canRun(other, join(closed, 'postgres'))).toBe(true);
  });

  it('starts beside the directory of a killed initdb, and removes it', async () => {
    const dataDir = join(parent, 'killed');
    fs.mkdirSync(join(dataDir, 'initdb-killed', 'base'), { recursive: true });
    expect(await query(await open({ dataDir }), 'select 1')).toEqual([1]);
    expect(fs.readdirSync(dataDir).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('rejects the cluster of another major version in one line', async () => {
    const dataDir = join(parent, 'old');
    fs.mkdirSync(join(dataDir, 'cluster'), { recursive: true });
    fs.writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '12\n');
    const fault = await open({ dataDir }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(fault)).toMatch(/^EmbeddedPostgresError: .* was created by PostgreSQL 12, .*$/);
  });

  it('reports the last lines of the log when the server does not start', async () => {
    await expect(open({ settings: { max_connections: 'many' } })).rejects.toThrow(
      /did not start: .*invalid value for parameter "max_connections": "many"/,
    );
  });
});

/** The directory of a package that only its owner can read. */
function closedPackage(): string {
  const root = fs.mkdtempSync(join(parent, 'installed-'));
  fs.mkdirSync(join(root, 'native/bin'), { recursive: true });
  fs.writeFileSync(join(root, 'native/bin/postgres'), 'a program', { mode: 0o700 });
  fs.symlinkSync('postgres', join(root, 'native/bin/postmaster'));
  return root;
}

describe('what the server of root needs', () => {
  it('is copied once, readable for all users, and again when a file of the copy is missing', async () => {
    const copy = join(parent, 'copies/postgresql-18');
    const root = closedPackage();
    const program = join(copy, 'native/bin/postgres');
    expect(await Promise.all([copyOnce(root, copy), copyOnce(root, copy)])).toEqual([copy, copy]);
    expect(canRun({ uid: 4_000_000, gid: 4_000_000 }, program)).toBe(true);
    expect(fs.readlinkSync(join(copy, 'native/bin/postmaster'))).toBe('postgres');
    const { ino } = fs.statSync(program);
    await copyOnce(root, copy);
    expect(fs.statSync(program).ino).toBe(ino);
    fs.rmSync(join(copy, 'native/bin/postmaster'));
    await copyOnce(root, copy);
    expect(fs.readFileSync(join(copy, 'native/bin/postmaster'), 'utf8')).toBe('a program');
    expect(fs.readdirSync(join(parent, 'copies'))).toEqual(['postgresql-18']);
  });

  it('is never copied to a directory that others can change', async () => {
    const directory = join(parent, 'public');
    fs.mkdirSync(directory);
    fs.chmodSync(directory, 0o777);
    await expect(copyOnce(closedPackage(), join(directory, 'postgresql-18'))).rejects.toThrow(
      'that others cannot write to',
    );
  });

  it('is a data directory outside an inaccessible one, unless that has the data', () => {
    const closed = join(parent, 'closed home');
    const dataDir = join(closed, '.petstore');
    fs.mkdirSync(closed, { mode: 0o700 });
    const isRoot = process.getuid?.() === 0;
    expect(reachableDirectory(dataDir)).toMatch(
      isRoot ? /^\/var\/lib\/petstore\/closed home-[0-9a-f]{8}$/ : /\/closed home\/\.petstore$/,
    );
    fs.mkdirSync(join(dataDir, 'cluster'), { recursive: true });
    fs.writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '18\n');
    expect(reachableDirectory(dataDir)).toBe(dataDir);
  });
});

describe('the owner of an embedded PostgreSQL', () => {
  it('waits for a server that is stopping, and starts it again', async () => {
    const first = await open();
    const pid = serverPid() ?? 0;
    // The smart shutdown rejects new connections and waits for the open ones.
    process.kill(pid, 'SIGTERM');
    await expect(query(first, 'select 1')).rejects.toThrow('the database system is shutting down');
    const [second] = await Promise.all([open(), first.close()]);
    expect(serverPid()).not.toBe(pid);
    expect(await query(second, 'select 1')).toEqual([1]);
  });

  it('is found by other processes while it runs', async () => {
    expect(runningEmbeddedUrl(join(parent, 'missing'))).toBe(undefined);
    const postgres = await open();
    expect(runningEmbeddedUrl(shared)).toBe(postgres.url);
    await postgres.close();
    expect(runningEmbeddedUrl(shared)).toBe(undefined);
  });
});

/** In a process of its own. */
async function openElsewhere(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('fixtures/hold-open.mjs', import.meta.url)), shared],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  children.push(child);
  // Ends without a word when the built code is missing.
  const [said] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
  expect(String(said)).toBe('open\n');
  return child;
}

describe('the embedded PostgreSQL after a failure', () => {
  it.each(['started', 'taken over'])(
    'ends with a process that has %s it, whatever ends that',
    async (how) => {
      if (how === 'taken over') {
        const former = await openElsewhere();
        former.kill('SIGKILL');
        await once(former, 'exit');
      }
      const child = await openElsewhere();
      expect(serverPid()).toBeDefined();
      child.kill('SIGUSR2');
      expect(await once(child, 'exit')).toEqual([1, null]);
      await eventually(() => expect(serverPid()).toBeUndefined());
    },
  );

  it('survives the SIGKILL of its service and is taken over by the next', async () => {
    const child = await openElsewhere();
    const pid = serverPid();
    expect(pid).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const service = await open();
    expect(serverPid()).toBe(pid);
    expect(await query(service, 'select 1')).toEqual([1]);
    await service.close();
    expect(serverPid()).toBeUndefined();
  });

  it('is reported when it ends, and recovers at the next start', async () => {
    const messages: string[] = [];
    const postgres = await open({ log: (message) => messages.push(message) });
    await query(postgres, 'create table outlives ()');
    process.kill(serverPid() ?? 0, 'SIGKILL');
    await eventually(() =>
      expect(messages).toEqual(['the embedded PostgreSQL has stopped: restart the service']),
    );
    expect(await query(await open(), 'select count(*)::int from outlives')).toEqual([0]);
  });

  it('ignores stale lock files of a crash whose PID another program now has', async () => {
    const first = await open();
    const lockFiles = [
      join(shared, 'cluster/postmaster.pid'),
      join(first.socketDirectory, '.s.PGSQL.5432.lock'),
    ];
    const contents = lockFiles.map((file) => fs.readFileSync(file, 'utf8'));
    await first.close();
    // PostgreSQL respects a process of its own user only, and never its parent.
    const { uid, gid } = fs.statSync(join(shared, 'cluster'));
    const other = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    children.push(other);
    await once(other, 'spawn');
    for (const [index, file] of lockFiles.entries()) {
      fs.writeFileSync(file, (contents[index] ?? '').replace(/^\d+/, String(other.pid)));
    }
    expect(await query(await open(), 'select 1')).toEqual([1]);
    expect(other.exitCode).toBeNull();
  });
});
