import pg, { type Pool, type PoolClient, type QueryArrayConfig } from 'pg';
import { classifyDatabaseError, isContention, NotSentError } from '../common/errors/database-errors.js';
import { LockWatch } from './lock-watch.js';
import { createSessionsProbe, LostResults, TakenConnections } from './lost-results.js';
import { boundSessions, endsWithinMs, StaleSessionError } from './session-settings.js';
import { columnTypes } from './query-rows.js';
import { statementOf } from './statement.js';

/** How many connections each pool of a replica may open. */
interface PoolShares {
  readonly admission: number;
  readonly writes: number;
  readonly reads: number;
}

/** Looks for lost connections, and has none open otherwise (`SessionsProbe`). */
const PROBES = 1;
const ADMISSION = 1;

/** Divides `DATABASE_POOL_MAX`, at least five, so that all connections of a replica together never exceed it. */
export function shareConnections(poolMax: number): PoolShares {
  const others = poolMax - PROBES - ADMISSION;
  const writes = Math.floor(others / 2);
  return { admission: ADMISSION, writes, reads: others - writes };
}

export interface ConnectionPoolsOptions {
  readonly url: string;
  /** Off behind a pooler that does not keep prepared statements. */
  readonly namedStatements: boolean;
  /** Connections in all, at least five. */
  readonly poolMax: number;
  readonly connectTimeoutMs: number;
  /** After this a connection is given up, unless the server is known to work on its statement. */
  readonly statementTimeoutMs: number;
  /** Told of connections that break while nobody uses them. */
  readonly onConnectionLost: (error: Error) => void;
  /** Told who holds the lock that statements wait for, in a sentence for operators. */
  readonly onBlocked?: (message: string) => void;
}

/** How long a connection that is needed at busy times alone stays open. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connections of a pool that stay open for good: after a quiet hour the next request must not wait for a new one. */
const KEPT_OPEN = 1;

/** The connections of a replica to PostgreSQL. */
export class ConnectionPools {
  /** What Prisma is given: for reads, and for statements on connections that were taken from the other pools. */
  readonly reads: pg.Pool;
  /** For statements whose commit waits for the disk and for standbys: a commit that stalls keeps its connection. */
  readonly writes: pg.Pool;
  /** Of one connection, for what each request waits for: it must not wait for those that reads and writes hold. */
  readonly admission: pg.Pool;
  readonly namedStatements: boolean;
  /** Milliseconds after its sending in which a statement that does not reach its commit is rolled back. */
  readonly endsWithinMs: number;
  readonly #prisma: PrismaPool;
  readonly #taken = new TakenConnections();
  readonly #lockWatch: LockWatch;
  readonly #lostResults: LostResults;

  constructor(options: ConnectionPoolsOptions) {
    const shares = shareConnections(options.poolMax);
    this.#prisma = new PrismaPool(poolConfig(options, shares.reads));
    this.reads = this.#watch(this.#prisma, options);
    this.writes = this.#watch(new pg.Pool(poolConfig(options, shares.writes)), options);
    this.admission = this.#watch(new pg.Pool(poolConfig(options, shares.admission)), options);
    this.#lockWatch = new LockWatch(this.reads, this.#taken, options.onBlocked ?? ignore);
    this.#lostResults = new LostResults({
      taken: this.#taken,
      probe: createSessionsProbe(options.url),
      timeoutMs: options.statementTimeoutMs,
    });
    this.namedStatements = options.namedStatements;
    this.endsWithinMs = endsWithinMs(options.statementTimeoutMs);
  }

  get all(): readonly [pg.Pool, ...pg.Pool[]] {
    return [this.reads, this.writes, this.admission];
  }

  /**
   * Runs work on a connection for writes.
   *
   * @param takeBefore a moment of `performance.now()`
   * @throws NotSentError without a connection by then
   */
  onWriteConnection<Result>(
    takeBefore: number,
    work: (connection: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    return withConnection(this.writes, takeBefore, work);
  }

  /** Warns of the session that has locked a row for long. */
  reportLockedRow(table: 'pets' | 'orders', id: bigint): void {
    this.#lockWatch.lookAtRow(table, id);
  }

  /** Names a connection for the statements that Prisma sends in some work. */
  naming<Result>(connection: PoolClient, work: (name: number) => Promise<Result>): Promise<Result> {
    return this.#prisma.naming(connection, work);
  }

  /** What is under way has the time of a statement to end. */
  async close(): Promise<void> {
    this.#lockWatch.stop();
    this.#lostResults.close();
    await Promise.all(this.all.map((pool) => pool.end()));
    this.#lostResults.stop();
  }

  #watch(pool: pg.Pool, { onConnectionLost }: ConnectionPoolsOptions): pg.Pool {
    this.#taken.watch(pool);
    // Without listeners the loss of a connection would end the process. One in use rejects its statement with the same error.
    pool.on('error', onConnectionLost);
    pool.on('connect', (connection) => connection.on('error', ignore));
    pool.on('release', (error) => {
      if (makesSuspect(error)) this.#dropIdle();
    });
    return pool;
  }

  /**
   * Where one connection broke the others are suspect: a server that moved, or a firewall that forgot them, says nothing,
   * and each of them would cost a statement its whole time-out before the service is well again.
   */
  #dropIdle(): void {
    for (const pool of this.all) {
      for (let left = pool.idleCount; left > 0; left -= 1) {
        // What is idle is handed out at once, and dropped by being given back as broken.
        pool.connect().then((connection) => connection.release(true), ignore);
      }
    }
  }
}

const poolConfig = (options: ConnectionPoolsOptions, max: number): pg.PoolConfig => ({
  connectionString: options.url,
  max,
  min: KEPT_OPEN,
  connectionTimeoutMillis: options.connectTimeoutMs,
  idleTimeoutMillis: IDLE_TIMEOUT_MS,
  keepAlive: true,
  types: columnTypes,
  application_name: 'petstore',
  verify: boundSessions(options.statementTimeoutMs),
});

/**
 * The pool that Prisma is given. Prisma chooses no connection for a query, but a write must run on one that was taken in time, and
 * on no other: such a statement has one value more than it has parameters, the last, which names its connection.
 */
class PrismaPool extends pg.Pool {
  readonly #taken = new Map<number, PoolClient>();
  #count = 0;

  /** Names a connection for the queries of some work. */
  async naming<Result>(connection: PoolClient, work: (name: number) => Promise<Result>): Promise<Result> {
    const name = (this.#count += 1);
    this.#taken.set(name, connection);
    try {
      return await work(name);
    } finally {
      this.#taken.delete(name);
    }
  }

  /** Prisma's adapter calls it with a configuration object, and awaits the promise. */
  override query(...args: readonly unknown[]): never {
    const [query] = args;
    if (!isConfig(query) || statementOf(query.text)?.lane !== 'writes') {
      return super.query(...(args as [never]));
    }
    const { values = [] } = query;
    const connection = this.#taken.get(Number(values.at(-1)));
    if (connection === undefined)
      throw new Error('the connection of a statement was released before the statement was sent');
    return connection.query({ ...query, values: values.slice(0, -1) }) as never;
  }
}

const isConfig = (query: unknown): query is QueryArrayConfig =>
  typeof query === 'object' && query !== null && 'text' in query;

/** Whether the error of one connection is probably that of the idle ones, too. */
const makesSuspect = (error: unknown): boolean =>
  error instanceof StaleSessionError || (error instanceof Error && classifyDatabaseError(error) === 'broken');

function ignore(): void {
  // The loss of a connection is told to those who use it.
}

/**
 * Runs work on a connection of a pool.
 *
 * @param takeBefore a moment of `performance.now()`
 * @throws NotSentError without a connection by then
 */
async function withConnection<Result>(
  pool: Pool,
  takeBefore: number,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    throw new NotSentError(error);
  });
  if (performance.now() > takeBefore) {
    connection.release();
    throw new NotSentError('no connection was available in time');
  }
  let broken: Error | boolean = false;
  try {
    return await work(connection);
  } catch (error) {
    // After a lock or a time-out of the server the connection is as good as before, and in a stall there are many of these.
    const isGood = isContention(error) || classifyDatabaseError(error) === 'server-timeout';
    broken = isGood ? false : error instanceof Error ? error : true;
    throw error;
  } finally {
    connection.release(broken);
  }
}
