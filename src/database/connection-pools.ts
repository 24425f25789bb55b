import pg from 'pg';
import { connectionTo } from '../config/database-tls.js';
import {
  classifyDatabaseError,
  isContention,
  isPreparedElsewhere,
  isReadOnly,
  NotSentError,
} from '../errors/database-errors.js';
import { DatabasePool, type SendingPool } from './database-client.js';
import { DatabaseState } from './database-state.js';
import { type LockedRow, LockReport } from './lock-report.js';
import { LostResults } from './lost-results.js';
import { Semaphore } from './semaphore.js';
import { bindSession, endsWithinMs } from './session-settings.js';
import { withTimeout } from './with-timeout.js';

/** For `LostResults`, which opens a connection only to probe. */
const PROBES = 1;
const ADMISSION = 1;

export interface ConnectionPoolsOptions {
  readonly url: string;
  /** Off behind a pooler that does not keep prepared statements. */
  readonly namedStatements: boolean;
  /** Connections in all, at least five. */
  readonly poolMax: number;
  /** The longest that a request waits for its statements. */
  readonly waitMs: number;
  /** For opening a connection and its settings. */
  readonly connectTimeoutMs: number;
  /** Time-out of a connection, unless its statement may be in a stalled commit. */
  readonly statementTimeoutMs: number;
  /** For the probe that looks for such commits. */
  readonly probeTimeoutMs: number;
  /** Called for connections that break while idle. */
  readonly onConnectionLost: (error: Error) => void;
  /** Messages for operators: whose lock statements wait for, or a pooler that loses prepared statements. */
  readonly onWarning?: (message: string) => void;
}

/** How often a lasting cause is reported again. */
const WARN_INTERVAL_MS = 60_000;

/** The share of the connect time-out for applying a new connection's settings. */
const SETTINGS_SHARE = 0.25;

/** How long a connection that is needed only under load stays open. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connections of a pool that always stay open: after a quiet hour the next request must not wait for a new one. */
const IDLE_MIN = 1;

/** The connections of a replica to PostgreSQL, never more than `DATABASE_POOL_MAX` in total. The dashboard has one more. */
export class ConnectionPools {
  /** For all statements except admission. */
  readonly main: SendingPool;
  /** One connection, for admission, which every request waits for: it must not wait behind reads and writes. */
  readonly admission: SendingPool;
  readonly namedStatements: boolean;
  /** The longest that a request waits for its statements. */
  readonly waitMs: number;
  /** Milliseconds after sending by which a statement that has not reached its commit is rolled back. */
  readonly endsWithinMs: number;
  /** Statements and probes report to it. */
  readonly state: DatabaseState;
  /** Permits for read statements: the connections left by writes. */
  readonly reads: Semaphore;
  /** Permits for write statements, half of the connections: a stalled commit keeps its connection, and reads must not wait for it. */
  readonly writes: Semaphore;
  #warnsAgainAt = 0;
  /** The last `LOSSES` times at which prepared statements were missing. */
  readonly #losses: number[] = [];
  /** How many times idle connections were dropped. */
  #generation = 0;
  /** The generation in which a connection was opened or last worked. */
  readonly #generations = new WeakMap<pg.PoolClient, number>();
  readonly #lockReport: LockReport;
  readonly #lostResults: LostResults;

  constructor(options: ConnectionPoolsOptions) {
    const mainMax = options.poolMax - PROBES - ADMISSION;
    const writesMax = Math.floor(mainMax / 2);
    this.writes = new Semaphore(writesMax);
    this.reads = new Semaphore(mainMax - writesMax);
    this.#lostResults = new LostResults(options.url, options.statementTimeoutMs, options.probeTimeoutMs);
    this.main = this.#open(options, mainMax);
    this.admission = this.#open(options, ADMISSION);
    this.#lockReport = new LockReport(this.main, options.onWarning ?? ignore);
    this.state = new DatabaseState(options.onWarning ?? ignore);
    this.namedStatements = options.namedStatements;
    this.waitMs = options.waitMs;
    this.endsWithinMs = endsWithinMs(options.statementTimeoutMs);
  }

  get all(): readonly [pg.Pool, ...pg.Pool[]] {
    return [this.main, this.admission];
  }

  /** Statements that wait for a permit or for a connection. A batcher waiting for a permit counts once. */
  get waiting(): number {
    const inPools = this.all.reduce((sum, pool) => sum + pool.waitingCount, 0);
    return inPools + this.reads.waiting + this.writes.waiting;
  }

  /** Whether prepared statements were missing repeatedly in the last minute, so that some requests fail. */
  get losesStatements(): boolean {
    const [first] = this.#losses;
    return this.#losses.length === LOSSES && performance.now() - (first ?? 0) < WARN_INTERVAL_MS;
  }

  /** Warns of other programs' sessions that hold a lock that statements wait for, or a long-locked row. */
  reportLocks(row?: LockedRow): void {
    void this.#lockReport.write(row);
  }

  /** From now on, give up every statement after its time-out, even a commit whose standby is down. */
  giveUpStalled(): void {
    this.#lostResults.close();
  }

  /** Statements in flight may run until their time-out. */
  async close(): Promise<void> {
    this.giveUpStalled();
    await Promise.all(this.all.map((pool) => pool.end()));
    this.#lostResults.stop();
  }

  #open(options: ConnectionPoolsOptions, max: number): SendingPool {
    const pool: SendingPool = new DatabasePool(poolConfig(options, max), (error) => {
      if (isPreparedElsewhere(error)) this.#reportLostStatement(options);
      if (isContention(error)) this.reportLocks();
    });
    this.#lostResults.watch(pool);
    // Without listeners, a lost connection would crash the process. One in use rejects its statement with the same error.
    pool.on('error', (error) => {
      // At shutdown the server may close a connection before the pool's close arrives.
      if (!pool.ending) options.onConnectionLost(error);
    });
    pool.on('connect', (connection) => {
      this.#generations.set(connection, this.#generation);
    });
    pool.on('release', (error, released) => {
      // It works, so it is as good as one opened since.
      if (error === undefined) this.#generations.set(released, this.#generation);
      else if (affectsIdleConnections(error) && this.#generations.get(released) === this.#generation)
        this.#dropIdle();
    });
    return pool;
  }

  #reportLostStatement({ onWarning = ignore }: ConnectionPoolsOptions): void {
    this.#losses.push(performance.now());
    if (this.#losses.length > LOSSES) this.#losses.shift();
    if (performance.now() < this.#warnsAgainAt) return;
    this.#warnsAgainAt = performance.now() + WARN_INTERVAL_MS;
    onWarning(STATEMENTS_LOST);
  }

  /**
   * If one connection broke, the idle ones are dropped: the server may have moved, or a firewall may have forgotten them, and each could
   * cost a statement its whole time-out. A session that began read-only stays read-only. Connections opened from now on belong to
   * the next generation, and stay if more of this one break.
   */
  #dropIdle(): void {
    this.#generation += 1;
    for (const pool of this.all) {
      for (let left = pool.idleCount; left > 0; left -= 1) {
        // The pool hands out an idle connection at once; released as broken, it is dropped.
        pool.connect().then((connection) => connection.release(true), ignore);
      }
    }
  }
}

/** Fewer may be incidental, as when a pooler restarts. */
const LOSSES = 5;

/** @see ConnectionPools.losesStatements */
export const STATEMENTS_LOST =
  'prepared statements are missing: behind a pooler that does not keep them, such as PgBouncer before 1.21, set DATABASE_NAMED_STATEMENTS=off';

const INT8: number = pg.types.builtins.INT8;

/** int64 as bigint, exact; everything else as `pg` reads it. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === INT8 ? BigInt : pg.types.getTypeParser(oid, format),
};

const poolConfig = (options: ConnectionPoolsOptions, max: number): pg.PoolConfig => ({
  ...connectionTo(options.url),
  max,
  min: IDLE_MIN,
  connectionTimeoutMillis: options.connectTimeoutMs * (1 - SETTINGS_SHARE),
  idleTimeoutMillis: IDLE_TIMEOUT_MS,
  keepAlive: true,
  types: columnTypes,
  application_name: 'petstore',
  // oxlint-disable-next-line no-misused-promises -- the pool awaits it; its types omit that
  onConnect: async (client) => {
    const timeoutMs = options.connectTimeoutMs * SETTINGS_SHARE;
    await withTimeout(timeoutMs, bindSession(client, options.statementTimeoutMs)).catch((error: unknown) => {
      throw new NotSentError(error);
    });
  },
});

/** Whether an error of one connection probably affects the idle ones, too. */
const affectsIdleConnections = (error: unknown): boolean =>
  error instanceof Error && (classifyDatabaseError(error) === 'broken' || isReadOnly(error));

function ignore(): void {
  // Reported elsewhere.
}
