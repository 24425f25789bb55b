import { UnavailableError } from '../errors/database-errors.js';

/** Callers that may wait, so that an hours-long stall does not fill memory with abandoned requests. */
const WAITING_MAX = 5000;

/** Admits a limited number of callers at a time; the others wait in order of arrival. */
export class Semaphore {
  #active = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly permits: number) {}

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a permit, which the caller must return. Else returns false, and calls back once when the caller may retry. */
  enter(tryAgain: () => void): boolean {
    if (this.#active < this.permits) {
      this.#active += 1;
      return true;
    }
    this.#waiting.add(tryAgain);
    return false;
  }

  leave(): void {
    this.#active -= 1;
    // Synchronously, so that no later caller overtakes the waiting ones. One that no longer needs a permit leaves it to the next.
    for (const tryAgain of this.#waiting) {
      if (this.#active >= this.permits) return;
      this.#waiting.delete(tryAgain);
      tryAgain();
    }
  }

  /** @throws UnavailableError when too many callers wait */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.size >= WAITING_MAX) {
      throw new UnavailableError('overloaded', 'too many statements wait for a connection');
    }
    await new Promise<void>((resolve) => {
      const enter = (): void => {
        if (this.enter(enter)) resolve();
      };
      enter();
    });
    try {
      return await work();
    } finally {
      this.leave();
    }
  }
}
