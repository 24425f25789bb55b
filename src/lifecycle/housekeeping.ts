export interface HousekeepingOptions {
  /** Deletes what is too old; the signal asks it to come to an end. */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
  /** Told of a run that failed. The next one tries again. */
  readonly onError: (error: unknown) => void;
  /** From 0 to 1, as `Math.random`. */
  readonly random: () => number;
  readonly intervalMs?: number;
}

/** Often enough that no run has much to do, although days expire only at midnight. */
const HOUR_MS = 3_600_000;

/**
 * Has old rows deleted about once an interval while the service runs. The waits vary by half, and the first is any part
 * of the interval, so that replicas started together do not work together.
 */
export class Housekeeping {
  readonly #options: Required<HousekeepingOptions>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> = Promise.resolve();

  constructor(options: HousekeepingOptions) {
    this.#options = { intervalMs: HOUR_MS, ...options };
  }

  start(): void {
    this.#wait(this.#options.random());
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#run;
  }

  #wait(intervals: number): void {
    const due = (): void => {
      this.#run = this.#runOnce();
    };
    // A process that has nothing else to do must not stay for this.
    this.#timer = setTimeout(due, intervals * this.#options.intervalMs).unref();
  }

  async #runOnce(): Promise<void> {
    const { work, onError, random } = this.#options;
    try {
      await work(this.#stopping.signal);
    } catch (error) {
      onError(error);
    }
    if (!this.#stopping.signal.aborted) this.#wait(0.5 + random());
  }
}
