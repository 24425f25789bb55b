import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg, { type Pool, type PoolClient } from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { classifyDatabaseError, isContention, NotSentError } from './database-errors.js';
import { LockWatch } from './lock-watch.js';
import { createSessionsProbe, LostResults, TakenConnections } from './lost-results.js';
import { columnTypes, queryRows, type Statement } from './query-rows.js';
import { boundSessions, endsWithinMs, StaleSessionError } from './session-settings.js';

export type { Statement } from './query-rows.js';

/** How many connections each pool of a replica may open. */
export interface PoolShares {
  /** One: it must not wait for those that reads and writes hold. */
  readonly admission: number;
  /** Fewer than all: commits that stall keep theirs, and reads go on beside them. */
  readonly writes: number;
  /** Statements that wait for locked rows. */
  readonly retries: number;
  /** Reads, readiness and whatever else is no write of a request. */
  readonly reads: number;
}

/** Looks for lost connections, and has none open otherwise (`SessionsProbe`). */
const PROBES = 1;
const ADMISSION = 1;

/** With fewer than eight in all, one. */
const RETRIES_MAX = 2;

/** Divides `DATABASE_POOL_MAX`, at least five, so that all connections of a replica together never exceed it. */
export function shareConnections(poolMax: number): PoolShares {
  const retries = Math.min(RETRIES_MAX, Math.floor(poolMax / 4));
  const others = poolMax - PROBES - ADMISSION - retries;
  const writes = Math.floor(others / 2);
  return { admission: ADMISSION, retries, writes, reads: others - writes };
}

export interface DatabaseOptions {
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

/** Runs a statement; a row is an array of its columns. Rejects with the driver's error. */
export type RowReader = <Row extends readonly unknown[]>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** The connections to PostgreSQL: pools of their own for admission, for writes and for all else, which Prisma shares. */
export class Database {
  readonly pool: pg.Pool;
  /** For statements whose commit waits for the disk and for standbys: a commit that stalls keeps its connection. */
  readonly writes: pg.Pool;
  /** Of one connection, for what each request waits for: it must not wait for those that reads and writes hold. */
  readonly reserved: pg.Pool;
  /** For statements that wait for locked rows: whoever holds those must not take the connections of other items. */
  readonly retries: pg.Pool;
  readonly prisma: PrismaClient;
  readonly namedStatements: boolean;
  /** Milliseconds after its sending in which a statement that does not reach its commit is rolled back. */
  readonly endsWithinMs: number;
  readonly #taken = new TakenConnections();
  readonly #lockWatch: LockWatch;
  readonly #lostResults: LostResults;

  constructor(options: DatabaseOptions) {
    const shares = shareConnections(options.poolMax);
    this.pool = this.#openPool(options, shares.reads);
    this.writes = this.#openPool(options, shares.writes);
    this.reserved = this.#openPool(options, shares.admission);
    this.retries = this.#openPool(options, shares.retries);
    this.#lockWatch = new LockWatch(this.pool, this.#taken, options.onBlocked ?? (() => undefined));
    this.#lostResults = new LostResults({
      taken: this.#taken,
      probe: createSessionsProbe(options.url),
      timeoutMs: options.statementTimeoutMs,
    });
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.pool) });
    this.namedStatements = options.namedStatements;
    this.endsWithinMs = endsWithinMs(options.statementTimeoutMs);
  }

  get pools(): readonly [pg.Pool, ...pg.Pool[]] {
    return [this.pool, this.writes, this.reserved, this.retries];
  }

  /** Runs a statement that writes nothing; a row is an array of its columns. Rejects with the driver's error. */
  rows<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return queryRows({ queryable: this.pool, named: this.namedStatements }, statement, values);
  }

  /** Runs work on a connection of `retries`, which outlives the work where another transaction was in its way. */
  async onRetryConnection(work: (rows: RowReader) => Promise<void>): Promise<void> {
    try {
      await withConnection(this.retries, Infinity, (connection) =>
        work((statement, values) =>
          queryRows({ queryable: connection, named: this.namedStatements }, statement, values),
        ),
      );
    } catch (error) {
      if (isContention(error)) this.#lockWatch.lookNow();
      throw error;
    }
  }

  /**
   * The same for a statement that writes.
   *
   * @param sendBefore a moment of `performance.now()`: without a connection by then the statement is not sent
   */
  write<Row extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
    sendBefore = Infinity,
  ): Promise<Row[]> {
    return withConnection(this.writes, sendBefore, (connection) =>
      queryRows({ queryable: connection, named: this.namedStatements }, statement, values),
    );
  }

  /** What is under way has the time of a statement to end. */
  async close(): Promise<void> {
    this.#lockWatch.stop();
    this.#lostResults.close();
    await this.prisma.$disconnect();
    await Promise.all(this.pools.map((pool) => pool.end()));
    this.#lostResults.stop();
  }

  #openPool(options: DatabaseOptions, max: number): pg.Pool {
    const pool = new pg.Pool({
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
    this.#taken.watch(pool);
    // Without listeners the loss of a connection would end the process. One in use rejects its statement with the same error.
    pool.on('error', options.onConnectionLost);
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
    for (const pool of this.pools) {
      for (let left = pool.idleCount; left > 0; left -= 1) {
        // What is idle is handed out at once, and dropped by being given back as broken.
        pool.connect().then(
          (connection) => connection.release(true),
          () => undefined,
        );
      }
    }
  }
}

/** Whether the error of one connection is probably that of the idle ones, too. */
const makesSuspect = (error: unknown): boolean =>
  error instanceof StaleSessionError || (error instanceof Error && classifyDatabaseError(error) === 'broken');

function ignore(): void {
  // Without a listener the loss of a connection would end the process.
}

/**
 * Runs a statement on a connection of a pool, unless that comes too late.
 *
 * @param sendBefore a moment of `performance.now()`
 * @throws NotSentError without a connection by then
 */
export async function withConnection<Result>(
  pool: Pool,
  sendBefore: number,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    throw new NotSentError(error);
  });
  if (performance.now() > sendBefore) {
    connection.release();
    throw new NotSentError('no connection in time');
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

/** Gives repositories the database that the application was started with. */
@Global()
@Module({})
export class DatabaseModule {
  static register(database: Database): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: Database, useValue: database }],
      exports: [Database],
    };
  }
}
