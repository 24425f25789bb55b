import type { Pool } from 'pg';

/** A cause that lasts is reported again after this. */
const REPORTED_EVERY_MS = 10_000;

/**
 * Sessions of other programs that hold a lock on a table of the service, or on rows of it, which shows as the lock on the table that
 * goes with them. Readers and autovacuum block no statement of the service. These columns are visible whatever the role of the session.
 */
const BLOCKERS = `
  select distinct blocker.pid, blocker.usename as role, blocker.application_name as program
  from pg_locks as lock
  join pg_stat_activity as blocker on blocker.pid = lock.pid
  join pg_class as locked on locked.oid = lock.relation
  where lock.database = (select oid from pg_database where datname = current_database())
    and locked.relnamespace = 'public'::regnamespace
    and lock.granted
    and lock.mode not in ('AccessShareLock', 'ShareUpdateExclusiveLock')
    and blocker.application_name <> 'petstore'
  order by blocker.pid
  limit 5`;

interface Blocker {
  readonly pid: number;
  readonly role: string;
  readonly program: string;
}

/** Warns of the sessions whose locks statements wait for: the error of a time-out does not name them. */
export class LockReport {
  #reportsAgainAt = 0;

  constructor(
    private readonly pool: Pool,
    private readonly warn: (message: string) => void,
  ) {}

  /** To be called when a lock was not available in time. Never rejects. */
  async write(): Promise<void> {
    if (performance.now() < this.#reportsAgainAt) return;
    this.#reportsAgainAt = performance.now() + REPORTED_EVERY_MS;
    try {
      const { rows } = await this.pool.query<Blocker>(BLOCKERS);
      for (const { pid, role, program } of rows) {
        this.warn(
          `statements are waiting for a lock of session ${pid} (role ${role}, program "${program}"); to end the session: select pg_terminate_backend(${pid})`,
        );
      }
    } catch {
      this.#reportsAgainAt = 0;
    }
  }
}
