import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { UnavailableError } from '../common/errors/database-errors.js';
import type { Batcher } from '../batching/batcher.js';
import { SIZE_MAX } from '../batching/batching.js';

/** Delayed rejections at a time. Each holds a request, some 10 KB: 50 MB at most. */
const DELAYED_MAX = 5000;

/**
 * Ten full statements wait: 30 to 80 ms of work. Two hundred and fifty connections that send the next request as soon as they get a
 * response keep a replica busy and never get there.
 */
const LONG = 10 * SIZE_MAX;

/** As many as a statement takes: nobody is rejected for a queue that is no longer. */
const SHORT = SIZE_MAX;

/** Two statements: a request that finds such a queue is rejected. In between the rejection is random. */
const CROWDED = 2 * SIZE_MAX;

/** The part of the requests that must be rejected for the overload to go on. */
const REJECTED_SHARE = 0.05;

/** An event loop that works for more than this part of its time has none left: other programs take the rest of its processor. */
const BUSY_SHARE = 0.9;

/** More than a burst of thousands takes to be worked off, also several one after another; a flood lasts longer. */
const STANDING_MS = 2000;

/** Several turns of a busy event loop, not each of which brings many requests. */
const LOOK_MS = 250;

/** After so long without a request nothing is known of the time between. */
const SILENCE_MS = 1000;

/**
 * The batcher as long as the process keeps up. Past that some of the requests are rejected with an `UnavailableError` after a delay,
 * and cost nothing else: keys with few queued requests are served while others overload the process.
 */
export function shedLoad<Item, Result>(
  batcher: Pick<Batcher<Item, Result>, 'name' | 'waiting' | 'aheadOf' | 'load'>,
  overload: Pick<Overload, 'refuses'> = new Overload(),
): Pick<Batcher<Item, Result>, 'load'> {
  const delay = createDelay(DELAYED_MAX);
  const reject = async (): Promise<never> => {
    await delay();
    throw new UnavailableError('overloaded', `${batcher.name}: overloaded, load is shed`);
  };
  return {
    load: (item) => {
      const ahead = (): number => batcher.aheadOf(item);
      return overload.refuses(batcher.waiting, ahead, performance.now()) ? reject() : batcher.load(item);
    },
  };
}

/**
 * Recognises overload: the queue grew long, and neither it nor the event loop came to rest for two seconds. From then on requests
 * are rejected at random, the likelier the more are ahead of them at that moment (random early detection): the queue stays short for
 * those that are let in, and a key with few requests is not rejected for those of another. It ends when few had to be rejected. A
 * burst of thousands is worked off before it begins.
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
   * @param waiting queued requests
   * @param ahead those of them that come before one more of the same key
   * @param nowMs a monotonic clock
   * @returns whether to reject one more
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
      ? this.#refused >= this.#asked * REJECTED_SHARE
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

/**
 * The delay of a rejection, more or less by half, well below the second of `Retry-After`. A rejection costs the process as much as
 * any response, and of six hundred connections that repeat their requests at once it makes a thousand a second.
 */
export const DELAY_MS = 500;

/**
 * Delays the rejections of clients that repeat rejected requests at once: they would take the time of all others.
 *
 * @param max how many at a time; past them a rejection comes at once, because each holds a connection, perhaps one of a proxy
 * @returns a function that resolves after the delay
 */
export function createDelay(max: number): () => Promise<void> {
  let delayed = 0;
  return async () => {
    if (delayed >= max) return;
    delayed += 1;
    await new Promise((resume) => setTimeout(resume, DELAY_MS * (0.5 + Math.random())));
    delayed -= 1;
  };
}
