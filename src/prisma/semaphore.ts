/** Lets a number of callers in at a time; the others wait in the order of their arrival. */
export class Semaphore {
  #active = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly permits: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#active < this.permits) this.#active += 1;
    else await new Promise<void>((enter) => void this.#waiting.push(enter));
    try {
      return await work();
    } finally {
      // Who leaves hands the permit over, so that nobody who comes now overtakes.
      const next = this.#waiting.shift();
      if (next === undefined) this.#active -= 1;
      else next();
    }
  }
}
