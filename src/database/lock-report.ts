import type { Pool } from 'pg';

/** How often a lasting cause is reported again. */
const REPORT_INTERVAL_MS = 10_000;

/**
 * The sessions whose table lock conflicts with every statement of the service, and those that block one of its sessions now. These
 * columns are visible to every role. The service's own tables are not read, because one of them may be locked.
 */
const HOLDERS = `
  select lock.pid
  from pg_locks as lock
  join pg_class as held on held.oid = lock.relation
  where lock.database = (select oid from pg_database where datname = current_database())
    and held.relnamespace = 'public'::regnamespace
    and lock.granted
    and lock.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  union
  select unnest(pg_blocking_pids(waiting.pid))
  from pg_stat_activity as waiting
  where waiting.datname = current_database()
    and waiting.application_name = 'petstore'`;

/** Rows that statements lock together with row $1 of a table. */
const LOCKED_WITH: Readonly<Record<string, string>> = {
  pets: 'union all select xmax from orders where pet_id = $1',
  orders: 'union all select xmax from pets where id = (select pet_id from orders where id = $1)',
};

/** The sessions that have changed or locked such a row: `xmax` is their transaction. */
const holdersOfRow = (table: string): string => `
  select lock.pid
  from (select xmax from ${table} where id = $1 ${LOCKED_WITH[table] ?? ''}) as held_row
  join pg_locks as lock on lock.transactionid = held_row.xmax and lock.granted`;

const blockers = (holders: string): string => `
  select pid, usename as role, application_name as program
  from pg_stat_activity
  where pid in (${holders})
    and application_name <> 'petstore'
  order by pid
  limit 5`;

/** A row that a statement found locked. */
export interface LockedRow {
  readonly table: string;
  readonly id: bigint | string;
}

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

  /** Call it when a lock was not available in time. Never rejects. */
  async write(row?: LockedRow): Promise<void> {
    if (performance.now() < this.#reportsAgainAt) return;
    this.#reportsAgainAt = performance.now() + REPORT_INTERVAL_MS;
    try {
      const { rows } = await (row === undefined
        ? this.pool.query<Blocker>(blockers(HOLDERS))
        : this.pool.query<Blocker>(blockers(holdersOfRow(row.table)), [row.id]));
      for (const { pid, role, program } of rows) {
        this.warn(
          `session ${pid} (role ${role}, program "${program}") holds the lock that statements wait for; to end the session: select pg_terminate_backend(${pid})`,
        );
      }
    } catch {
      this.#reportsAgainAt = 0;
    }
  }
}
