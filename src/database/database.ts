import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { columnTypes } from './column-types.js';
import { classifyDatabaseError, isContention } from './database-errors.js';
import { LockWatch } from './lock-watch.js';
import { queryRows, type Statement } from './query-rows.js';
import { boundSessions } from './session-bounds.js';
import { StaleSessionError } from './session-check.js';

export type { Statement } from './query-rows.js';

export interface DatabaseOptions {
  readonly url: string;
  /** Off behind a pooler that does not keep prepared statements. */
  readonly namedStatements: boolean;
  /** Connections in all, at least two. */
  readonly poolMax: number;
  readonly connectTimeoutMs: number;
  /** After this the connection is given up, and with it the statement: nobody waits longer for an answer. */
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

/** The connections that only `reserved` uses. */
const RESERVED = 1;

/** The connections that only retries of locked rows use: with fewer than eight in all, one. */
const RETRIES_MAX = 2;

/** Runs a statement; a row is an array of its columns. Rejects with the driver's error. */
export type RowReader = <Row extends readonly unknown[]>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/** The connections to PostgreSQL: one pool, which the grouped statements and Prisma share, and one for what comes first. */
export class Database {
  readonly pool: pg.Pool;
  /** Of one connection, for what each request waits for: it must not wait for those that reads and writes hold. */
  readonly reserved: pg.Pool;
  /** For statements that wait for locked rows: whoever holds those must not take the connections of other items. */
  readonly retries: pg.Pool;
  readonly prisma: PrismaClient;
  readonly namedStatements: boolean;
  readonly #lockWatch: LockWatch;

  constructor(options: DatabaseOptions) {
    const retriesMax = Math.min(RETRIES_MAX, Math.floor(options.poolMax / 4));
    this.pool = this.#openPool(options, options.poolMax - RESERVED - retriesMax);
    this.reserved = this.#openPool(options, RESERVED);
    this.retries = this.#openPool(options, retriesMax);
    this.#lockWatch = new LockWatch(this.pools, options.onBlocked ?? (() => undefined));
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.pool) });
    this.namedStatements = options.namedStatements;
  }

  get pools(): readonly [pg.Pool, ...pg.Pool[]] {
    return [this.pool, this.reserved, this.retries];
  }

  /** Runs a statement; a row is an array of its columns. Rejects with the driver's error. */
  rows<Row extends readonly unknown[]>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return queryRows({ queryable: this.pool, named: this.namedStatements }, statement, values);
  }

  /** Runs work on a connection of `retries`, which outlives the work where another transaction was in its way. */
  async onRetryConnection(work: (rows: RowReader) => Promise<void>): Promise<void> {
    const connection = await this.retries.connect();
    // The statement under way rejects with the same error.
    connection.on('error', ignore);
    let broken: Error | undefined;
    try {
      await work((statement, values) =>
        queryRows({ queryable: connection, named: this.namedStatements }, statement, values),
      );
    } catch (error) {
      if (isContention(error)) this.#lockWatch.lookNow();
      else broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      connection.off('error', ignore);
      connection.release(broken);
    }
  }

  async close(): Promise<void> {
    this.#lockWatch.stop();
    await this.prisma.$disconnect();
    await Promise.all(this.pools.map((pool) => pool.end()));
  }

  #openPool(options: DatabaseOptions, max: number): pg.Pool {
    const pool = new pg.Pool({
      connectionString: options.url,
      max,
      min: KEPT_OPEN,
      connectionTimeoutMillis: options.connectTimeoutMs,
      query_timeout: options.statementTimeoutMs,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      types: columnTypes,
      application_name: 'petstore',
      verify: boundSessions(options.statementTimeoutMs),
    });
    // Without a listener the loss of an idle connection would end the process.
    pool.on('error', options.onConnectionLost);
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
