import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { SIZE_MAX } from '../database/groups.js';

/**
 * Ten full statements wait: 30 to 80 ms of work. Two hundred and fifty connections that each ask again as soon as they are
 * answered keep a replica busy and never get there: they only share its pace.
 */
const LONG = 10 * SIZE_MAX;

/** As many as a statement takes: a queue that is no longer refuses nobody. */
const SHORT = SIZE_MAX;

/** Two statements: whoever comes to such a queue is refused. In between it is drawn by lot. */
const CROWDED = 2 * SIZE_MAX;

/** Of those who ask, the part that must be refused for it to be called an overload still. */
const SHARE_OF_REFUSED = 0.05;

/** At work for more than this part of its time an event loop has none left: other programs take the rest of its processor. */
const BUSY_SHARE = 0.9;

/** More than a burst of thousands takes to be worked off, also several one after another; a flood lasts longer. */
const STANDING_MS = 2000;

/** Several turns of a busy event loop, of which not each one brings many requests. */
const LOOK_MS = 250;

/** After such a silence nothing is known of the time between. */
const SILENCE_MS = 1000;

/**
 * Tells when more is asked for than can be answered: when the queue grew long and neither it nor the event loop came to
 * rest for two seconds. From then on requests are rejected at random, the likelier the more are ahead of them at that moment
 * (random early detection): so the queue stays short for those that are let in, and a key with few requests is not rejected for
 * those of another. It ends when few had to be rejected. A burst of thousands is worked off before it begins.
 */
export class Overload {
  #isOverloaded = false;
  #standingMs = 0;
  #longest = 0;
  #asked = 0;
  #refused = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param busyShare the part of the time since its last call in which the event loop was at work, from 0 to 1 */
  constructor(
    private readonly busyShare: () => number = createBusyShare(),
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * @param waiting requests that wait now
   * @param ahead those of them that are served before one more of the same key
   * @param nowMs a clock that only runs on
   * @returns whether one more is to be refused
   */
  refuses(waiting: number, ahead: () => number, nowMs: number): boolean {
    if (nowMs - this.#lookedAt >= LOOK_MS) this.#look(waiting, nowMs);
    this.#longest = Math.max(this.#longest, waiting);
    this.#asked += 1;
    if (!this.#isOverloaded || this.random() >= (ahead() - SHORT) / (CROWDED - SHORT)) return false;
    this.#refused += 1;
    return true;
  }

  #look(waiting: number, nowMs: number): void {
    const sinceMs = nowMs - this.#lookedAt;
    const isKnown = sinceMs < SILENCE_MS;
    const isBusy = this.busyShare() >= BUSY_SHARE || waiting >= LONG;
    this.#standingMs = isKnown && isBusy && this.#longest >= LONG ? this.#standingMs + sinceMs : 0;
    const goesOn = this.#isOverloaded
      ? this.#refused >= this.#asked * SHARE_OF_REFUSED
      : this.#standingMs >= STANDING_MS;
    this.#isOverloaded = isKnown && goesOn;
    this.#longest = waiting;
    this.#asked = 0;
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
