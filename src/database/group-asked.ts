/** One question of a group, for all who share it, with the promise of its answer. */
export class Asked<Question, Answer> {
  readonly answer: Promise<Answer>;
  /** How many ask it. */
  askers = 1;
  /** Whether it still has no answer. */
  open = true;
  /** Whether it must have a statement of its own, because one that it shared was answered with an error. */
  alone = false;
  /** Whether a connection broke under it before. */
  broke = false;
  /** What it is asked in, for those who look on. */
  context: unknown;
  #resolve: (answer: Answer) => void = notYetMade;
  #reject: (error: unknown) => void = notYetMade;

  constructor(
    readonly question: Question,
    readonly shareKey: string | undefined,
    /** Its number in the order of arrival. */
    readonly place: number,
    /** Milliseconds, on the group's clock. */
    readonly askedAt: number,
    /** On the same clock: it is settled by then. Of several that share it, the earliest. */
    public deadline: number,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(answer: Answer): void {
    this.open = false;
    this.#resolve(answer);
  }

  reject(error: unknown): void {
    this.open = false;
    this.#reject(error);
  }
}

function notYetMade(): never {
  throw new Error('a promise hands out its ends before its constructor returns');
}
