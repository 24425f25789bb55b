import { UnavailableError } from '../errors/database-errors.js';

/** Callers that may wait, so that a stall of hours does not fill the memory with requests that were given up. */
const WAITING_MAX = 5000;

/** Lets a number of callers in at a time; the others get their turn in the order of their arrival. */
export class Semaphore {
  #active = 0;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly permits: number) {}

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Lets the caller in, who must leave again. Else returns false, and calls back once when the caller may try again. */
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
    // At once, so that no later caller overtakes those that wait. One that needs no permit any more leaves it to the next.
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
