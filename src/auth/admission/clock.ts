import type { PrismaService } from '../../database/prisma.service.js';

/** The service's time: the database's, not the replica's (see `DatabaseClock`). */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;
}

/** The best observation counts to the end of the next period: a clock set back is followed after 60 s of results. */
const PERIOD_MS = 30_000;

/** A step back below this is jitter: the clock stands still until the time has caught up. */
const STANDSTILL_MAX_MS = 1000;

/**
 * The database's clock as this process knows it, for times in responses that need no query. A wrong wall clock of the replica does
 * not matter after the first observation.
 *
 * An observation is late by its way here, never early: the database's time is at least what it said. So the best
 * estimate is the greatest offset against the monotonic clock, and results out of order do no harm. It is the greatest
 * of this period and the one before, not of all time: when the database's clock is set back (a standby was promoted),
 * the old offset is forgotten.
 */
export class DatabaseClock implements Clock {
  #periodStartMs = Number.NEGATIVE_INFINITY;
  #offsetMs = Number.NEGATIVE_INFINITY;
  #previousOffsetMs = Number.NEGATIVE_INFINITY;
  #returnedMs = Number.NEGATIVE_INFINITY;

  /**
   * @param monotonicMs a clock that only runs on, from any start (`performance.now`)
   * @param wallMs this machine's time, until the first observation (`Date.now`)
   */
  constructor(
    private readonly monotonicMs = () => performance.now(),
    private readonly wallMs = () => Date.now(),
  ) {}

  /** Reads the database's time before the first response; if the database is away, the first decision does. */
  static async start({ pools }: Pick<PrismaService, 'pools'>): Promise<DatabaseClock> {
    const clock = new DatabaseClock();
    const { rows } = await pools.main
      .query<{ nowMs: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"')
      .catch(() => ({ rows: [] }));
    for (const { nowMs } of rows) clock.observe(nowMs);
    return clock;
  }

  /** @param databaseNowMs the database's time in a result that has just arrived */
  observe(databaseNowMs: number): void {
    const atMs = this.monotonicMs();
    const offsetMs = databaseNowMs - atMs;
    if (atMs - this.#periodStartMs < PERIOD_MS) {
      this.#offsetMs = Math.max(this.#offsetMs, offsetMs);
      return;
    }
    this.#previousOffsetMs = this.#offsetMs;
    this.#offsetMs = offsetMs;
    this.#periodStartMs = atMs;
  }

  /** Now, in ms since the epoch; never ahead of the database, and back only when its clock was set back. */
  nowMs(): number {
    const offsetMs = Math.max(this.#offsetMs, this.#previousOffsetMs);
    const nowMs = offsetMs === Number.NEGATIVE_INFINITY ? this.wallMs() : this.monotonicMs() + offsetMs;
    const isJitter = nowMs < this.#returnedMs && this.#returnedMs - nowMs < STANDSTILL_MAX_MS;
    if (!isJitter) this.#returnedMs = nowMs;
    return this.#returnedMs;
  }
}
