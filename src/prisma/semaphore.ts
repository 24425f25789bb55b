import { UnavailableError } from '../common/errors/database-errors.js';

/** Callers that may wait, so that a stall of hours does not fill the memory with requests that were given up. */
const WAITING_MAX = 5000;

/** Lets a number of callers in at a time; the others wait in the order of their arrival. */
export class Semaphore {
  #active = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly permits: number) {}

  /** @throws UnavailableError when too many callers wait */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#waiting.length >= WAITING_MAX) {
      throw new UnavailableError('overloaded', 'too many statements wait for a connection');
    }
    if (this.#active < this.permits) this.#active += 1;
    else await new Promise<void>((enter) => void this.#waiting.push(enter));
    try {
      return await work();
    } finally {
      // The permit is handed over, so that no later caller overtakes those that wait.
      const next = this.#waiting.shift();
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }
}
