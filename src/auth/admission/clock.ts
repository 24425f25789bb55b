import type { PrismaService } from '../../database/prisma.service.js';

/** The service's time: the database's, not the replica's (see `DatabaseClock`). */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;
}

/** The best observation is used until the end of the next period: a clock set back is followed after 60 s. */
const PERIOD_MS = 30_000;

/** A step back below this is jitter: the clock stands still until the time has caught up. */
const STANDSTILL_MAX_MS = 1000;

/**
 * This process's estimate of the database's clock, for response times that need no query. After the first observation,
 * the replica's wall clock is not used.
 *
 * An observation is late by its network delay, never early: the database's time is at least that. So the best
 * estimate is the greatest offset against the monotonic clock, and out-of-order results do no harm. It is the greatest
 * of this period and the one before, not of all time: when the database's clock is set back (a standby was promoted),
 * the old offset is forgotten.
 */
export class DatabaseClock implements Clock {
  #periodStartMs = Number.NEGATIVE_INFINITY;
  #offsetMs = Number.NEGATIVE_INFINITY;
  #previousOffsetMs = Number.NEGATIVE_INFINITY;
  #returnedMs = Number.NEGATIVE_INFINITY;

  /**
   * @param monotonicMs a monotonic clock with any origin (`performance.now`)
   * @param wallMs this machine's time, until the first observation (`Date.now`)
   */
  constructor(
    private readonly monotonicMs = () => performance.now(),
    private readonly wallMs = () => Date.now(),
  ) {}

  /** Reads the database's time before the first response; if the database is down, the first decision does. */
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

  /** Now, in ms since the epoch; never ahead of the database; goes back only if its clock was set back. */
  nowMs(): number {
    const offsetMs = Math.max(this.#offsetMs, this.#previousOffsetMs);
    const nowMs = offsetMs === Number.NEGATIVE_INFINITY ? this.wallMs() : this.monotonicMs() + offsetMs;
    const isJitter = nowMs < this.#returnedMs && this.#returnedMs - nowMs < STANDSTILL_MAX_MS;
    if (!isJitter) this.#returnedMs = nowMs;
    return this.#returnedMs;
  }
}
