import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Binaries, findBinaries } from '../../../src/database/embedded/binaries.js';
import { ensureCluster } from '../../../src/database/embedded/cluster.js';
import { type DataDirectory, prepareDataDirectory } from '../../../src/database/embedded/data-directory.js';
import { findPostmaster, startServer, stopServer } from '../../../src/database/embedded/server.js';

/** A PostgreSQL server that a test may end as it likes. It listens on TCP, always on the same port. */
export interface PostgresServer {
  /** Of the database `petstore`, as its owner, who is no superuser. */
  readonly url: string;
  readonly superuserUrl: string;
  readonly cluster: string;
  readonly port: number;
  /** Resolves when it responses. Settings stay until others are given. */
  start(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** SIGKILL for every process of it at once. */
  kill(): Promise<void>;
  /** Ends it in order, and every connection with it. */
  stop(): Promise<void>;
  /** Ends it and removes everything. */
  remove(): Promise<void>;
}

const HOST = '127.0.0.1';
const POLL_MS = 10;
/** No trial interrupts a start. */
const { signal } = new AbortController();

/** Makes a server that does not run yet. */
export async function createPostgresServer(
  settings: Readonly<Record<string, string>> = {},
  port?: number,
): Promise<PostgresServer> {
  const parent = await mkdtemp(join(await realpath(tmpdir()), 'petstore-fault-'));
  // As root the server is another user, who has to get in.
  await chmod(parent, 0o755);
  const directory = prepareDataDirectory(join(parent, 'data'));
  const binaries = await findBinaries(directory.account);
  await ensureCluster(directory, binaries, { isDurable: false, signal });
  return new EmbeddedServer(directory, binaries, settings, port ?? (await freePort()), parent);
}

class EmbeddedServer implements PostgresServer {
  constructor(
    private readonly directory: DataDirectory,
    private readonly binaries: Binaries,
    private settings: Readonly<Record<string, string>>,
    readonly port: number,
    private readonly parent: string,
  ) {}

  get url(): string {
    return `postgresql://petstore@${HOST}:${this.port}/petstore`;
  }

  get superuserUrl(): string {
    return `postgresql://postgres@${HOST}:${this.port}/postgres`;
  }

  get cluster(): string {
    return this.directory.cluster;
  }

  async start(settings: Readonly<Record<string, string>> = this.settings): Promise<void> {
    this.settings = settings;
    const options = { signal, settings: { listen_addresses: HOST, port: String(this.port), ...settings } };
    // The last processes of a killed server may hold its memory for a moment.
    while (!(await startServer(this.directory, this.binaries, options))) await delay(POLL_MS);
  }

  async kill(): Promise<void> {
    const pid = findPostmaster(this.cluster);
    if (pid === undefined) return;
    const children = await childrenOf(pid);
    for (const one of [pid, ...children]) killIfAlive(one);
    while (findPostmaster(this.cluster) === pid) await delay(POLL_MS);
  }

  async stop(): Promise<void> {
    await stopServer(this.directory);
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.parent, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Makes the service's role and database on a server that runs. */
export async function createPetstoreDatabase(server: PostgresServer): Promise<void> {
  await asSuperuser(server, 'create role petstore login');
  await asSuperuser(server, 'create database petstore owner petstore template template0');
}

/** Runs a statement on the database `petstore`, or on `postgres` while there is none. */
export async function asSuperuser(
  { superuserUrl }: PostgresServer,
  statement: string,
  database = 'postgres',
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const url = new URL(superuserUrl);
  url.pathname = database;
  const client = new Client({ connectionString: url.toString() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  } finally {
    await client.end();
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return list.trim().split(' ').filter(Boolean).map(Number);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself meanwhile.
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}
