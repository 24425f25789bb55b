import type { Pool } from 'pg';
import type { TakenConnections } from './lost-results.js';

/** A statement of the service takes milliseconds. One that takes so long waits for something. */
const SLOW_MS = 200;

/** How often statements under way are looked at: at least once before a lock is given up, after 400 ms. */
const LOOK_MS = 100;

/** A cause that lasts is reported again after this. */
const REPORTED_EVERY_MS = 10_000;

// Of other roles' sessions only these columns are shown, unless the role may see more (pg_read_all_stats).
const BLOCKERS = `
  select distinct blocker.pid, blocker.usename as role, blocker.application_name as program
  from pg_stat_activity as waiting
  cross join lateral unnest(pg_blocking_pids(waiting.pid)) as blocking (pid)
  join pg_stat_activity as blocker on blocker.pid = blocking.pid
  where waiting.datname = current_database()
    and waiting.usename = current_user
    and waiting.application_name = 'petstore'
    and waiting.wait_event_type = 'Lock'
    and blocker.application_name <> 'petstore'
  order by blocker.pid
  limit 5`;

/** The session that has locked a row: row locks are not in pg_locks, but the transaction that a locked row names is. */
const ROW_LOCKERS = {
  pets: rowLockers('pets'),
  orders: rowLockers('orders'),
} as const;

function rowLockers(table: string): string {
  return `
  select locker.pid, locker.usename as role, locker.application_name as program
  from ${table} as locked
  join pg_locks as lock on lock.locktype = 'transactionid' and lock.transactionid = locked.xmax and lock.granted
  join pg_stat_activity as locker on locker.pid = lock.pid
  where locked.id = $1 and locker.application_name <> 'petstore'`;
}

interface Blocker {
  readonly pid: number;
  readonly role: string;
  readonly program: string;
}

/** Warns of the session that holds the lock that statements wait for: the error of a time-out does not name it. */
export class LockWatch {
  readonly #timer: NodeJS.Timeout;
  #lookAgainAt = 0;

  constructor(
    private readonly pool: Pool,
    private readonly taken: TakenConnections,
    private readonly warn: (message: string) => void,
  ) {
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** To be called when a row has been locked for long. */
  lookAtRow(table: keyof typeof ROW_LOCKERS, id: bigint): void {
    if (performance.now() >= this.#lookAgainAt) this.#report(ROW_LOCKERS[table], [id]);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    if (now >= this.#lookAgainAt && this.taken.before(now - SLOW_MS).length > 0) this.#report(BLOCKERS);
  }

  #report(query: string, values: readonly bigint[] = []): void {
    this.#lookAgainAt = performance.now() + REPORTED_EVERY_MS;
    this.pool.query<Blocker>(query, [...values]).then(
      ({ rows }) => {
        // Slow for another reason: the next look may find a lock.
        if (rows.length === 0) this.#lookAgainAt = performance.now() + SLOW_MS;
        for (const { pid, role, program } of rows) {
          this.warn(
            `statements are waiting for a lock of session ${pid} (role ${role}, program "${program}"); to end the session: select pg_terminate_backend(${pid})`,
          );
        }
      },
      () => {
        this.#lookAgainAt = performance.now() + SLOW_MS;
      },
    );
  }
}
