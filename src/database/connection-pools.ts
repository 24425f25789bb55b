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
import { within } from './within.js';

/** Looks for lost results, and has no connection open otherwise (`LostResults`). */
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
  /** After this a connection is given up, unless its statement may be in a commit that stalls. */
  readonly statementTimeoutMs: number;
  /** For the probe that looks for such commits. */
  readonly probeTimeoutMs: number;
  /** Called for connections that break while they are idle. */
  readonly onConnectionLost: (error: Error) => void;
  /** Gets sentences for operators: whose lock statements wait for, and a pooler that keeps no prepared statements. */
  readonly onWarning?: (message: string) => void;
}

/** A cause that lasts is reported again after this. */
const WARNED_EVERY_MS = 60_000;

/** The share of the connect time-out that the settings of a new connection may take. */
const SETTINGS_SHARE = 0.25;

/** How long a connection that is needed at busy times alone stays open. */
const IDLE_TIMEOUT_MS = 60_000;

/** Connections of a pool that stay open for good: after a quiet hour the next request must not wait for a new one. */
const KEPT_OPEN = 1;

/** The connections of a replica to PostgreSQL, which together never exceed `DATABASE_POOL_MAX`. The dashboard has one besides. */
export class ConnectionPools {
  /** For all statements except admission. */
  readonly main: SendingPool;
  /** Of one connection, for what each request waits for: it must not wait for those that reads and writes hold. */
  readonly admission: SendingPool;
  readonly namedStatements: boolean;
  /** The longest that a request waits for its statements. */
  readonly waitMs: number;
  /** Milliseconds after its sending in which a statement that does not reach its commit is rolled back. */
  readonly endsWithinMs: number;
  /** Statements and probes report to it. */
  readonly state: DatabaseState;
  /** Permits of statements that read, for the connections that writes leave. */
  readonly reads: Semaphore;
  /** Permits of statements that write, for half of the connections: a commit that stalls keeps its own, and reads must not wait for it. */
  readonly writes: Semaphore;
  #warnsAgainAt = 0;
  /** When prepared statements were missing last, as many times as matter. */
  readonly #losses: number[] = [];
  /** How often idle connections were dropped. */
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

  /** Statements that wait for a permit or for a connection. A batcher that waits for a permit counts once. */
  get waiting(): number {
    const inPools = this.all.reduce((sum, pool) => sum + pool.waitingCount, 0);
    return inPools + this.reads.waiting + this.writes.waiting;
  }

  /** Whether prepared statements were missing again and again in the last minute, so that some requests fail. */
  get losesStatements(): boolean {
    const [first] = this.#losses;
    return this.#losses.length === LOSSES && performance.now() - (first ?? 0) < WARNED_EVERY_MS;
  }

  /** Warns of the sessions of other programs that hold what statements wait for, or a row that has been locked for long. */
  reportLocks(row?: LockedRow): void {
    void this.#lockReport.write(row);
  }

  /** From now on no statement is waited for longer than its time, as for a commit whose standby is away. */
  giveUpStalled(): void {
    this.#lostResults.close();
  }

  /** Statements in flight have the time of a statement to end. */
  async close(): Promise<void> {
    this.giveUpStalled();
    await Promise.all(this.all.map((pool) => pool.end()));
    this.#lostResults.stop();
  }

  #open(options: ConnectionPoolsOptions, max: number): SendingPool {
    const pool: SendingPool = new DatabasePool(poolConfig(options, max), (error) => {
      if (isPreparedElsewhere(error)) this.#lostStatement(options);
      if (isContention(error)) this.reportLocks();
    });
    this.#lostResults.watch(pool);
    // Without listeners the loss of a connection would end the process. One in use rejects its statement with the same error.
    pool.on('error', (error) => {
      // At a stop the server may end a connection before it reads that the pool has.
      if (!pool.ending) options.onConnectionLost(error);
    });
    pool.on('connect', (connection) => {
      this.#generations.set(connection, this.#generation);
    });
    pool.on('release', (error, released) => {
      // It works, so it is as good as one that was opened since.
      if (error === undefined) this.#generations.set(released, this.#generation);
      else if (makesSuspect(error) && this.#generations.get(released) === this.#generation) this.#dropIdle();
    });
    return pool;
  }

  #lostStatement({ onWarning = ignore }: ConnectionPoolsOptions): void {
    this.#losses.push(performance.now());
    if (this.#losses.length > LOSSES) this.#losses.shift();
    if (performance.now() < this.#warnsAgainAt) return;
    this.#warnsAgainAt = performance.now() + WARNED_EVERY_MS;
    onWarning(STATEMENTS_LOST);
  }

  /**
   * If one connection broke, the idle ones are dropped: the server may have moved, or a firewall may have forgotten them, and each could
   * cost a statement its whole time-out. A session that began as read only stays so. Connections that are opened from now on belong to
   * the next generation, and stay when more of this one break.
   */
  #dropIdle(): void {
    this.#generation += 1;
    for (const pool of this.all) {
      for (let left = pool.idleCount; left > 0; left -= 1) {
        // The pool hands out an idle connection at once; given back as broken, it is dropped.
        pool.connect().then((connection) => connection.release(true), ignore);
      }
    }
  }
}

/** Fewer may be an accident, as when a pooler restarts. */
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
  min: KEPT_OPEN,
  connectionTimeoutMillis: options.connectTimeoutMs * (1 - SETTINGS_SHARE),
  idleTimeoutMillis: IDLE_TIMEOUT_MS,
  keepAlive: true,
  types: columnTypes,
  application_name: 'petstore',
  // oxlint-disable-next-line no-misused-promises -- the pool waits for it, which its types do not say
  onConnect: async (client) => {
    const timeoutMs = options.connectTimeoutMs * SETTINGS_SHARE;
    await within(timeoutMs, bindSession(client, options.statementTimeoutMs)).catch((error: unknown) => {
      throw new NotSentError(error);
    });
  },
});

/** Whether the error of one connection is probably that of the idle ones, too. */
const makesSuspect = (error: unknown): boolean =>
  error instanceof Error && (classifyDatabaseError(error) === 'broken' || isReadOnly(error));

function ignore(): void {
  // Who needs to know has another way.
}
