import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Two statements of 64 are under way, and as many requests wait for the next two: more of them only wait longer. */
const LONG = 128;

/** What may still wait while the rest is refused: a whole statement, so that none goes out half empty. */
const KEPT = 64;

/** An event loop that rests less has no time left; below it, whoever waits does so for the database. */
const BUSY_SHARE = 0.97;

/** More than a burst takes to be worked off, and half of what a request may wait at all. */
const FULL_MS = 500;

const LOOK_MS = 100;

/** After such a silence nothing is known of the time between. */
const SILENCE_MS = 1000;

/**
 * Tells when more is asked for than can be answered: when the queue grew long and neither it nor the event loop came to
 * rest for half a second. From then on, whoever would make the queue long is refused at once, and whoever is let in waits
 * little, until nobody had to be refused any more. A burst of thousands is worked off before, and refuses nobody.
 */
export class Overload {
  #isShedding = false;
  #fullMs = 0;
  #longest = 0;
  #refused = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param busyShare the part of the time since its last call in which the event loop was at work, from 0 to 1 */
  constructor(private readonly busyShare: () => number = createBusyShare()) {}

  /**
   * @param waiting requests that wait now
   * @param nowMs a clock that only runs on
   * @returns whether one more is to be refused
   */
  refuses(waiting: number, nowMs: number): boolean {
    if (nowMs - this.#lookedAt >= LOOK_MS) this.#look(waiting, nowMs);
    this.#longest = Math.max(this.#longest, waiting);
    if (!this.#isShedding || waiting < KEPT) return false;
    this.#refused += 1;
    return true;
  }

  #look(waiting: number, nowMs: number): void {
    const sinceMs = nowMs - this.#lookedAt;
    const isBusy = this.busyShare() >= BUSY_SHARE || waiting >= LONG;
    const isKnown = sinceMs < SILENCE_MS;
    this.#fullMs = isKnown && isBusy && this.#longest >= LONG ? this.#fullMs + sinceMs : 0;
    this.#isShedding = this.#isShedding ? isKnown && this.#refused > 0 : this.#fullMs >= FULL_MS;
    this.#longest = waiting;
    this.#refused = 0;
    this.#lookedAt = nowMs;
  }
}

function createBusyShare(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
