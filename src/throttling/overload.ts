import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/**
 * Ten full statements wait: 30 to 80 ms of work. Two hundred and fifty connections that each ask again as soon as they are
 * answered keep a replica busy and never get there: they only share its pace.
 */
const LONG = 320;

/** Half of it: below, there is room for more. */
const SHORT = 160;

/** So few wait no time worth a word: nobody is refused for them, also not a moment after a flood. */
const FEW = 16;

/** Of those who ask the share that is let in at first, and what becomes of it at each look while the queue is long, or short. */
const SHARE_AT_FIRST = 0.5;
const SHARE_MIN = 0.02;
const LESS = 0.8;
const MORE = 1.2;

/** An event loop that rests less has no time left: it is a tenth of what is told when other programs take its processor. */
const BUSY_SHARE = 0.9;

/** More than a burst takes to be worked off, also several one after another; a flood lasts longer. */
const FULL_MS = 2000;

/** Several turns of a busy event loop, of which not each one brings many requests. */
const LOOK_MS = 250;

/** After such a silence nothing is known of the time between. */
const SILENCE_MS = 1000;

/**
 * Tells when more is asked for than can be answered: when the queue grew long and neither it nor the event loop came to
 * rest for two seconds. From then on a share of those who ask is refused at once, by lot, so that every connection has its chance;
 * the share follows the queue, which stays short for whoever is let in. A burst of thousands is worked off before, and
 * refuses nobody.
 */
export class Overload {
  /** 1: everybody is let in. */
  #share = 1;
  #fullMs = 0;
  #longest = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param busyShare the part of the time since its last call in which the event loop was at work, from 0 to 1 */
  constructor(
    private readonly busyShare: () => number = createBusyShare(),
    private readonly random: () => number = Math.random,
  ) {}

  /**
   * @param waiting requests that wait now
   * @param nowMs a clock that only runs on
   * @returns whether one more is to be refused
   */
  refuses(waiting: number, nowMs: number): boolean {
    if (nowMs - this.#lookedAt >= LOOK_MS) this.#look(waiting, nowMs);
    this.#longest = Math.max(this.#longest, waiting);
    if (this.#share === 1 || waiting < FEW) return false;
    return waiting >= LONG || this.random() >= this.#share;
  }

  #look(waiting: number, nowMs: number): void {
    const sinceMs = nowMs - this.#lookedAt;
    const isBusy = this.busyShare() >= BUSY_SHARE || waiting >= LONG;
    const isKnown = sinceMs < SILENCE_MS;
    this.#fullMs = isKnown && isBusy && this.#longest >= LONG ? this.#fullMs + sinceMs : 0;
    this.#share = isKnown ? this.#nextShare() : 1;
    this.#longest = waiting;
    this.#lookedAt = nowMs;
  }

  #nextShare(): number {
    if (this.#share === 1) return this.#fullMs >= FULL_MS ? SHARE_AT_FIRST : 1;
    if (this.#longest >= LONG) return Math.max(SHARE_MIN, this.#share * LESS);
    return this.#longest < SHORT ? Math.min(1, this.#share * MORE) : this.#share;
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
