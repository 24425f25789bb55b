import type { Pool } from 'pg';
import { pendingMigrations } from '../../database/migrations.js';
import { within } from '../../database/within.js';

/** What was found; `ok` or what is wrong. */
export interface ReadinessReport {
  readonly isReady: boolean;
  readonly checks: {
    readonly database: 'ok' | 'starting' | 'no answer';
    readonly migrations: 'ok' | 'pending' | 'unknown';
    readonly draining: boolean;
  };
}

type DatabaseChecks = Omit<ReadinessReport['checks'], 'draining'>;

/** A balancer asks every second or so, and so does the one beside it: they share an answer. */
const FRESH_MS = 500;

/** The probe is to have its answer within a second. */
const TIMEOUT_MS = 800;

const STARTING: DatabaseChecks = { database: 'starting', migrations: 'unknown' };
const NO_ANSWER: DatabaseChecks = { database: 'no answer', migrations: 'unknown' };

/** Whether this replica should get requests: it serves, its database answers and has this release's schema, no stop. */
export class Readiness {
  #pools: readonly Pool[] = [];
  #isDraining = false;
  #checked: { readonly atMs: number; readonly checks: Promise<DatabaseChecks> } | undefined;

  /** The pools that requests use; the first is asked whether the database answers, as a request's read would ask it. */
  get pools(): readonly Pool[] {
    return this.#pools;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From here on requests can be answered. */
  serve(pools: readonly [Pool, ...Pool[]]): void {
    this.#pools = pools;
  }

  /** From here on it is not ready any more, whatever the rest says. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Within a second, whatever the database does. */
  async check(): Promise<ReadinessReport> {
    const { database, migrations } = await this.#databaseChecks();
    const draining = this.#isDraining;
    return {
      isReady: database === 'ok' && migrations === 'ok' && !draining,
      checks: { database, migrations, draining },
    };
  }

  #databaseChecks(): Promise<DatabaseChecks> {
    const [pool] = this.#pools;
    if (pool === undefined) return Promise.resolve(STARTING);
    const nowMs = performance.now();
    if (this.#checked === undefined || nowMs - this.#checked.atMs > FRESH_MS) {
      this.#checked = { atMs: nowMs, checks: within(TIMEOUT_MS, ask(pool)).catch(() => NO_ANSWER) };
    }
    return this.#checked.checks;
  }
}

async function ask(pool: Pool): Promise<DatabaseChecks> {
  const pending = await pendingMigrations(pool);
  return { database: 'ok', migrations: pending.length === 0 ? 'ok' : 'pending' };
}
