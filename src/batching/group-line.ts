import { FairQueue } from './fair-queue.js';

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

export interface ItemKeys {
  /** Items of equal keys that were not sent yet are one. */
  readonly shareKey?: string | undefined;
  /** Items of different keys take turns. */
  readonly fairKey?: string | undefined;
}

const ONE_LANE = '';

/** The items that no statement carries now: the keys take turns, and those of one key are in the order of their arrival. */
export class Line<Question, Answer> {
  /** Never sent. Those of a key all arrived after those of the same key in `#again`: the earliest of a key are sent first. */
  readonly #fresh = new FairQueue<Asked<Question, Answer>>();
  /** Sent in vain, to be asked again. */
  #again: Asked<Question, Answer>[] = [];
  /**
   * Those of `#fresh` that an equal question may join. Made anew when there are none left: the tables that a map drops as it
   * grows and shrinks would hold what they held, whole requests, until the next full collection of garbage.
   */
  #joinable = new Map<string, Asked<Question, Answer>>();
  #arrivals = 0;
  #askers = 0;
  /** No item here has an earlier deadline: most looks for late items need not go through the queue. */
  #earliestDeadline = Infinity;

  get isEmpty(): boolean {
    return this.questions === 0;
  }

  /** How many questions there are to send. */
  get questions(): number {
    return this.#fresh.length + this.#again.length;
  }

  /** How many wait; of those who share a question each one counts, because each one holds memory. */
  get askers(): number {
    return this.#askers;
  }

  /** How many items are sent before one more of this key. */
  aheadOf(fairKey = ONE_LANE): number {
    return this.#again.length + this.#fresh.aheadOf(fairKey);
  }

  /** Puts a question at the end, or joins it to an equal one that was never sent: the earliest deadline then holds for all. */
  join(
    question: Question,
    { shareKey, fairKey = ONE_LANE }: ItemKeys,
    now: number,
    deadline: number,
  ): Asked<Question, Answer> {
    this.#askers += 1;
    this.#earliestDeadline = Math.min(this.#earliestDeadline, deadline);
    const equal = shareKey === undefined ? undefined : this.#joinable.get(shareKey);
    if (equal !== undefined) {
      equal.askers += 1;
      equal.deadline = Math.min(equal.deadline, deadline);
      return equal;
    }
    const asked = new Asked<Question, Answer>(question, shareKey, this.#arrivals++, now, deadline);
    this.#fresh.push(fairKey, asked);
    if (shareKey !== undefined) this.#joinable.set(shareKey, asked);
    return asked;
  }

  /** Takes the questions of the next statement, earliest first. */
  take(sizeMax: number): Asked<Question, Answer>[] {
    const firstAlone = this.#again.findIndex((asked) => asked.alone);
    if (firstAlone === 0) return this.#left(this.#again.splice(0, 1));
    const taken = this.#again.splice(0, firstAlone === -1 ? sizeMax : Math.min(sizeMax, firstAlone));
    if (this.#again.length === 0) taken.push(...this.#fresh.take(sizeMax - taken.length));
    return this.#left(taken);
  }

  /** Takes the items whose deadline is before a moment. */
  takeDueBefore(moment: number): Asked<Question, Answer>[] {
    if (this.#earliestDeadline >= moment) return [];
    const isDue = (one: Asked<Question, Answer>): boolean => one.deadline < moment;
    const due = [...this.#again.filter(isDue), ...this.#fresh.remove(isDue)];
    this.#again = this.#again.filter((one) => !isDue(one));
    this.#earliestDeadline = [...this].reduce((earliest, one) => Math.min(earliest, one.deadline), Infinity);
    return this.#left(due);
  }

  /** Gives questions that were sent in vain their places back. */
  putBack(asked: readonly Asked<Question, Answer>[]): void {
    for (const one of asked) {
      this.#askers += one.askers;
      this.#earliestDeadline = Math.min(this.#earliestDeadline, one.deadline);
    }
    this.#again = [...this.#again, ...asked].sort((a, b) => a.place - b.place);
  }

  [Symbol.iterator](): IterableIterator<Asked<Question, Answer>> {
    return [...this.#again, ...this.#fresh].values();
  }

  /** From here on an equal question starts anew: no answer may be older than the question that it answers. */
  #left(asked: Asked<Question, Answer>[]): Asked<Question, Answer>[] {
    for (const one of asked) {
      this.#askers -= one.askers;
      if (one.shareKey !== undefined && this.#joinable.get(one.shareKey) === one)
        this.#joinable.delete(one.shareKey);
    }
    if (this.#joinable.size === 0) this.#joinable = new Map();
    return asked;
  }
}
