import type { Pool } from 'pg';
import { type ConnectionPools, STATEMENTS_LOST } from '../../database/connection-pools.js';
import { isUndefinedTable } from '../../errors/database-errors.js';
import { messageOf } from '../../errors/describe-error.js';
import { APPLIED_MIGRATIONS, listMigrations, MIGRATIONS_DIRECTORY } from '../../database/migration-files.js';
import { describeWrongSetting, SETTING_VALUES, wrongSettings } from '../../database/session-settings.js';
import { withTimeout } from '../../database/with-timeout.js';

/** The result of the checks: `ok` or an error. */
export interface ReadinessReport {
  readonly isReady: boolean;
  readonly checks: {
    /** `ok`, `starting`, `standby`, `read-only`, or an error message of the server or a pooler. */
    readonly database: string;
    readonly migrations: 'ok' | 'pending' | 'unknown';
    /** `ok`, `unknown`, or the wrong ones: "DateStyle is 'German, DMY' instead of 'ISO, MDY'". */
    readonly settings: string;
    readonly draining: boolean;
  };
}

/** The part that depends on the database. */
interface DatabaseReport {
  readonly canServe: boolean;
  readonly checks: Omit<ReadinessReport['checks'], 'draining'>;
}

/** Probes of several balancers share a result. */
const FRESH_MS = 500;

/** A probe gets its response within a second. */
const TIMEOUT_MS = 800;

/** The maximum age of the last result. */
const CHECK_EVERY_MS = 5000;

const STARTING = { database: 'starting', migrations: 'unknown', settings: 'unknown' } as const;
const NEVER_MIGRATED = { database: 'ok', migrations: 'pending', settings: 'unknown' } as const;

type ServingPools = Pick<ConnectionPools, 'all' | 'waiting' | 'state' | 'losesStatements'> & {
  readonly main: Pool;
};

/** Whether this replica should get requests: its database is writable and has this release's schema; not draining. */
export class Readiness {
  #pools: ServingPools | undefined;
  #isDraining = false;
  #wasReady = false;
  #checks: NodeJS.Timeout | undefined;
  #checked: { readonly atMs: number; readonly report: Promise<DatabaseReport> } | undefined;

  /** The pools of requests, once they can be served. */
  get pools(): ServingPools | undefined {
    return this.#pools;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** The last result, a few seconds old, for callers that must not query. */
  get lastKnownReady(): boolean {
    return this.#wasReady && !this.#isDraining;
  }

  /** Requests can be served from now on. */
  serve(pools: ServingPools): void {
    this.#pools = pools;
    this.#checks = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
    void this.check();
  }

  /** From now on the replica is not ready, whatever the result. */
  drain(): void {
    this.#isDraining = true;
    clearInterval(this.#checks);
  }

  /** Settles within a second even if the database hangs. */
  async check(): Promise<ReadinessReport> {
    const { canServe, checks } = await this.#databaseReport();
    const draining = this.#isDraining;
    this.#wasReady = canServe;
    return { isReady: canServe && !draining, checks: { ...checks, draining } };
  }

  #databaseReport(): Promise<DatabaseReport> {
    const pools = this.#pools;
    if (pools === undefined) return Promise.resolve({ canServe: false, checks: STARTING });
    const nowMs = performance.now();
    if (this.#checked === undefined || nowMs - this.#checked.atMs > FRESH_MS) {
      this.#checked = { atMs: nowMs, report: report(pools) };
    }
    return this.#checked.report;
  }
}

const CHECK = `
  select
    pg_is_in_recovery() as standby,
    current_setting('default_transaction_read_only')::boolean as read_only,
    ${SETTING_VALUES} as settings,
    ${APPLIED_MIGRATIONS} as migrations`;

interface CheckRow {
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly settings: readonly string[];
  readonly migrations: readonly string[];
}

async function examine(pool: Pool): Promise<DatabaseReport> {
  const names = await listMigrations(MIGRATIONS_DIRECTORY);
  const { standby, read_only, settings, migrations } = await checkSession(pool);
  const isPending = names.some((name) => !migrations.includes(name));
  const wrong = wrongSettings(settings);
  return {
    // A setting that makes responses slow, not wrong, is reported but takes no replica out of service.
    canServe: !standby && !read_only && !isPending && !wrong.some(({ isHarmful }) => isHarmful),
    checks: {
      database: standby ? 'standby' : read_only ? 'read-only' : 'ok',
      migrations: isPending ? 'pending' : 'ok',
      settings: wrong.map(describeWrongSetting).join(', ') || 'ok',
    },
  };
}

async function checkSession(pool: Pool): Promise<CheckRow> {
  const client = await pool.connect();
  let isUnfit = true;
  try {
    const { rows } = await client.query<CheckRow>(CHECK);
    const row = rows[0] as CheckRow;
    // A session that began read only stays so; a new one may not be.
    isUnfit = row.read_only;
    return row;
  } finally {
    client.release(isUnfit);
  }
}

async function report({ main, state, losesStatements }: ServingPools): Promise<DatabaseReport> {
  try {
    const examined = await withTimeout(TIMEOUT_MS, examine(main));
    state.worked();
    return losesStatements
      ? { canServe: false, checks: { ...examined.checks, database: STATEMENTS_LOST } }
      : examined;
  } catch (error) {
    if (isUndefinedTable(error)) return { canServe: false, checks: NEVER_MIGRATED };
    state.failed(error);
    return { canServe: false, checks: { ...STARTING, database: messageOf(error) } };
  }
}
