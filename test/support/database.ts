import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';

/** A database of one test file alone. */
export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to it, and removes it. */
  drop(): Promise<void>;
}

/** A new database with this release's schema and the rows that the migrations bring. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`${fromRun('TEST_RUN')}_template`, 'strategy file_copy');
}

/** A new database with nothing in it. The options are those of `create database`. */
export const createEmptyDatabase = (options = ''): Promise<TestDatabase> =>
  createDatabase('template0', options);

/** A copy of a database that no program is connected to. */
export const copyDatabase = (url: string): Promise<TestDatabase> =>
  createDatabase(new URL(url).pathname.slice(1), 'strategy file_copy');

/** A database is copied and dropped only without connections; the server waits 5 s for them to end, each time. */
const ATTEMPTS_MAX = 20;
const RETRY_MS = 100;
/** object_in_use: "source database is being accessed by other users"; and insufficient_privilege to end a session of another role. */
const IN_USE: ReadonlySet<unknown> = new Set(['55006', '42501']);

async function createDatabase(template: string, options = ''): Promise<TestDatabase> {
  const name = `${fromRun('TEST_RUN')}_${randomUUID()}`;
  const url = new URL((await testServer()).database);
  url.pathname = name;
  await whenAlone(
    `create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} ${options}`,
  );
  return {
    url: url.toString(),
    drop: () =>
      whenAlone(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = ${escapeLiteral(name)} and usesysid is not null`,
        // Without "force", which needs the right to end an autovacuum; without it, the server ends that itself.
        `drop database if exists ${escapeIdentifier(name)}`,
      ),
  };
}

async function whenAlone(...statements: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await onServer(statements);
      return;
    } catch (fault) {
      const isInUse = fault instanceof Error && 'code' in fault && IN_USE.has(fault.code);
      if (!isInUse || attempt === ATTEMPTS_MAX) throw fault;
      await delay(RETRY_MS);
    }
  }
}

async function onServer(statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: (await testServer()).database });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

interface TestServer {
  /** Of a database of the run, as the role that owns the test databases. */
  readonly database: string;
  readonly superuser: string;
}

let found: Promise<TestServer> | undefined;

/** The PostgreSQL of the run, which the first call starts. */
export const testServer = (): Promise<TestServer> => (found ??= findServer());

async function findServer(): Promise<TestServer> {
  const [response] = (await once(get(fromRun('TEST_SERVER'), { agent: false }), 'response')) as [
    IncomingMessage,
  ];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(body);
  return JSON.parse(body) as TestServer;
}

/** Set by global-setup.mjs. */
function fromRun(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: tests on a database need Jest's global setup.`);
  return value;
}
