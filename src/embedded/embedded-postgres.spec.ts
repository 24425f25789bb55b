import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { openEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import type { Purpose } from './membership.js';
import { findPostmaster } from './server.js';

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
  await (await open('tool')).close();
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

async function open(purpose: Purpose, options: Options = {}): Promise<EmbeddedPostgres> {
  const settings = { fsync: 'off', shared_buffers: '16MB', ...options.settings };
  const all = { dataDir: shared, log: () => undefined, ...options, purpose, settings };
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

const serverPid = (dataDir = shared) => findPostmaster(join(dataDir, 'cluster'))?.pid;

describe('the embedded PostgreSQL', () => {
  it('creates the database at the first open and keeps its data over a restart', async () => {
    const dataDir = join(parent, 'first');
    const first = await open('service', { dataDir });
    expect(first.createdDatabase).toBe(true);
    await query(first, "create table kept as select 'ü' as word");
    await first.close();
    expect(serverPid(dataDir)).toBeUndefined();
    const second = await open('service', { dataDir });
    expect(second.createdDatabase).toBe(false);
    expect(await query(second, 'select word from kept')).toEqual(['ü']);
  });

  it('speaks UTF-8 in UTC with checksums, to a role that is no superuser, and takes settings', async () => {
    const postgres = await open('tool', { settings: { work_mem: '5MB' } });
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

  it('lets nobody but its own user near the socket and the data', async () => {
    const postgres = await open('tool');
    for (const directory of [postgres.socketDirectory, join(shared, 'cluster')]) {
      expect(fs.statSync(directory).mode & 0o777).toBe(0o700);
    }
  });

  it('works where the data directory is too long for a socket, and leaves no socket in the temporary directory', async () => {
    const dataDir = join(parent, 'x'.repeat(100));
    const postgres = await open('service', { dataDir });
    expect(postgres.socketDirectory.startsWith(dataDir)).toBe(false);
    expect(fs.lstatSync(postgres.socketDirectory).mode & 0o777).toBe(0o700);
    expect(await query(await open('tool', { dataDir }), 'select 1')).toEqual([1]);
    await Promise.all(opened.map((each) => each.close()));
    // Where the server's user cannot read node_modules, a copy of the programs stays there for the next start.
    const left = fs.existsSync(postgres.socketDirectory) ? fs.readdirSync(postgres.socketDirectory) : [];
    expect(left.filter((name) => !name.startsWith('binaries-'))).toEqual([]);
    fs.rmSync(postgres.socketDirectory, { recursive: true, force: true });
  });

  it('works below a directory that only its owner may enter', async () => {
    const closed = join(parent, 'closed');
    fs.mkdirSync(closed, { mode: 0o700 });
    expect(await query(await open('service', { dataDir: join(closed, 'data') }), 'select 1')).toEqual([1]);
  });

  it('stands beside what a killed initdb left, and clears it away', async () => {
    const dataDir = join(parent, 'killed');
    fs.mkdirSync(join(dataDir, 'initdb-killed', 'base'), { recursive: true });
    expect(await query(await open('tool', { dataDir }), 'select 1')).toEqual([1]);
    expect(fs.readdirSync(dataDir).filter((name) => name.startsWith('initdb-'))).toEqual([]);
  });

  it('refuses the cluster of another major version in one line', async () => {
    const dataDir = join(parent, 'old');
    fs.mkdirSync(join(dataDir, 'cluster'), { recursive: true });
    fs.writeFileSync(join(dataDir, 'cluster', 'PG_VERSION'), '12\n');
    const fault = await open('tool', { dataDir }).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(fault)).toMatch(/^EmbeddedPostgresError: .* was created by PostgreSQL 12, .*$/);
  });

  it('tells the last lines of the log when the server does not start', async () => {
    await expect(open('tool', { settings: { max_connections: 'many' } })).rejects.toThrow(
      /did not start: .*invalid value for parameter "max_connections": "many"/,
    );
  });
});

describe('several users of one embedded PostgreSQL', () => {
  it('all open an empty directory at the same time', async () => {
    const dataDir = join(parent, 'simultaneous');
    const both = await Promise.all([open('tool', { dataDir }), open('tool', { dataDir })]);
    expect(both.filter((each) => each.createdDatabase)).toHaveLength(1);
    await query(both[0], 'create table seen ()');
    expect(await query(both[1], 'select count(*)::int from seen')).toEqual([0]);
  });

  it('share the server of a running service, and the last one out stops it', async () => {
    const service = await open('service');
    const pid = serverPid();
    const tool = await open('tool');
    expect(serverPid()).toBe(pid);
    const late = await open('tool');
    await tool.close();
    expect(await query(service, 'select 1')).toEqual([1]);
    await service.close();
    expect(await query(late, 'select 1')).toEqual([1]);
    await late.close();
    expect(serverPid()).toBeUndefined();
  });

  it('are not two services: the second one is told so in one line', async () => {
    const first = await open('service');
    const fault = await open('service').catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(fault)).toMatch(
      /^EmbeddedPostgresError: Another service is using the data directory .* Stop it, .*$/,
    );
    expect(String(fault)).toContain(shared);
    expect(await query(first, 'select 1')).toEqual([1]);
  });

  it('are one service after the other without a gap', async () => {
    const first = await open('service');
    const second = open('service');
    const users = "select count(*)::int from pg_locks where locktype = 'advisory' and mode = 'ShareLock'";
    // Until the second one is at the door; it is refused here if it does not wait.
    while ((await Promise.race([second, query(first, users).then(([count]) => count)])) === 1);
    await first.close();
    expect(await query(await second, 'select 1')).toEqual([1]);
  });

  it('wait for a server that shuts down, and start it again', async () => {
    const first = await open('tool');
    const pid = serverPid() ?? 0;
    // PostgreSQL's patient shutdown: nobody comes in any more, and it waits for those that are in.
    process.kill(pid, 'SIGTERM');
    await expect(query(first, 'select 1')).rejects.toThrow('the database system is shutting down');
    const [second] = await Promise.all([open('tool'), first.close()]);
    expect(serverPid()).not.toBe(pid);
    expect(await query(second, 'select 1')).toEqual([1]);
  });
});

describe('faults of the embedded PostgreSQL', () => {
  it('survives the SIGKILL of its service and is taken over by the next', async () => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('fixtures/hold-open.mjs', import.meta.url)), shared],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    children.push(child);
    // Ends without a word when the built code is missing.
    const [said] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
    expect(String(said)).toBe('open\n');
    const pid = serverPid();
    expect(pid).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const service = await open('service');
    expect(serverPid()).toBe(pid);
    expect(await query(service, 'select 1')).toEqual([1]);
    await service.close();
    expect(serverPid()).toBeUndefined();
  });

  it('starts again by itself under the same URL when it was killed', async () => {
    let back: (() => void) | undefined;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const service = await open('service', {
      log: (message) => message.includes('is running again') && back?.(),
    });
    await query(service, 'create table outlives ()');
    const pid = serverPid() ?? 0;
    process.kill(pid, 'SIGKILL');
    await isBack;
    expect(serverPid()).not.toBe(pid);
    expect(await query(service, 'select count(*)::int from outlives')).toEqual([0]);
    await expect(open('service')).rejects.toThrow('Another service is using');
  });

  it('starts over the lock files of a crash whose process number another program has now', async () => {
    const first = await open('tool');
    const lockFiles = [
      join(shared, 'cluster/postmaster.pid'),
      join(first.socketDirectory, '.s.PGSQL.5432.lock'),
    ];
    const contents = lockFiles.map((file) => fs.readFileSync(file, 'utf8'));
    await first.close();
    // PostgreSQL respects a process of its own user only, and never its parent.
    const { uid, gid } = fs.statSync(join(shared, 'cluster'));
    const stranger = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' });
    children.push(stranger);
    await once(stranger, 'spawn');
    for (const [index, file] of lockFiles.entries()) {
      fs.writeFileSync(file, (contents[index] ?? '').replace(/^\d+/, String(stranger.pid)));
    }
    expect(await query(await open('service'), 'select 1')).toEqual([1]);
    expect(stranger.exitCode).toBeNull();
  });
});
