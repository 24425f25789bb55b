import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failures, FakeTimers, settled } from '../../test/support/fake-group.js';
import { UnavailableError } from './database-errors.js';
import { Group, REST_MS, SWEEP_MS, TIMEOUTS_UNTIL_LOST, type GroupOptions } from './group.js';

/** A question that the database refuses when it is `bad`. */
interface Question {
  readonly id: number;
  readonly key: string | undefined;
  readonly bad: boolean;
}

interface Answer {
  readonly id: number;
  readonly statement: number;
}

type Ending = 'truth' | keyof typeof failures;

type Step =
  | { readonly do: 'ask'; readonly key: string | undefined; readonly bad: boolean }
  | { readonly do: 'turn' }
  | { readonly do: 'end'; readonly pick: number; readonly ending: Ending }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'close' };

const TIMEOUT_MS = 200;

/** What the model knows of a question: those who share it, and what it went through. */
interface Entry {
  readonly question: Question;
  readonly askedAt: number;
  readonly tries: Try[];
  askers: number;
  settled: boolean;
}

/** What the model knows of a statement. */
interface Try {
  readonly number: number;
  readonly entries: readonly Entry[];
  readonly sentAt: number;
  /** On the counter of events. */
  readonly event: number;
  ended: Ending | 'open' | 'lost';
  finish(ending: Ending): void;
}

/** Runs a group beside a naive model of it, which keeps everything and looks everything up anew. */
class World {
  readonly timers = new FakeTimers();
  readonly #entries: Entry[] = [];
  readonly #tries: Try[] = [];
  readonly #group: Group<Question, Answer>;
  #event = 0;
  #asks = 0;
  #outcomes = 0;
  #closed = false;
  #troubleAt: number | undefined;

  constructor(
    readonly limits: Pick<
      GroupOptions<Question, Answer>,
      'sizeMax' | 'concurrencyMax' | 'waitingMax' | 'onBrokenConnection'
    >,
  ) {
    this.#group = new Group({
      ...limits,
      name: 'model',
      timeoutMs: TIMEOUT_MS,
      timers: this.timers,
      shareKey: (question) => question.key,
      send: (questions) => this.#sent(questions),
    });
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.do === 'ask') this.ask(step.key, step.bad);
      if (step.do === 'turn') await this.turn();
      if (step.do === 'end') this.#end(step.pick, step.ending);
      if (step.do === 'pass') await this.#pass(step.ms);
      if (step.do === 'close') this.#close();
      await settled();
      this.#check();
    }
  }

  /** From here on the database tells the truth; statements without end stay without. */
  async heal(): Promise<void> {
    const forgotten = this.#underWay.filter(({ number }) => number % 5 === 4);
    const deadline = this.timers.now() + TIMEOUT_MS * (TIMEOUTS_UNTIL_LOST + 3);
    while (this.timers.now() < deadline) {
      for (const one of this.#underWay) if (!forgotten.includes(one)) one.finish('truth');
      await settled();
      await this.turn();
      await this.#pass(SWEEP_MS);
      this.#check();
    }
    expect(this.#outcomes).toBe(this.#asks);
    expect([this.#group.waiting, this.#group.underWay, this.timers.running]).toEqual([0, 0, 0]);
    this.ask(undefined, false);
    await this.turn();
    if (!this.#closed) this.#end(0, 'truth');
    await settled();
    expect(this.#outcomes).toBe(this.#asks);
    expect(this.#closed || this.#tries.at(-1)?.ended === 'truth').toBe(true);
    await this.#group.close();
  }

  async turn(): Promise<void> {
    await this.timers.turn();
    const idle = this.#troubleAt === undefined && this.#underWay.length < this.limits.concurrencyMax;
    if (idle) expect(this.#waiting).toEqual([]);
  }

  ask(key: string | undefined, bad: boolean): void {
    const question = { id: this.#asks++, key, bad };
    const event = this.#event++;
    const waiting = this.#waiting;
    const full = waiting.reduce((sum, entry) => sum + entry.askers, 0) >= this.limits.waitingMax;
    const refusal = this.#closed ? 'closing' : full ? 'overloaded' : undefined;
    const entry = refusal === undefined ? this.#enter(question, waiting) : undefined;
    let settledOnce = false;
    const settle = (check: () => void): void => {
      expect(settledOnce).toBe(false);
      settledOnce = true;
      this.#outcomes += 1;
      if (entry !== undefined) entry.settled = true;
      check();
    };
    this.#group
      .ask(question)
      .then(
        (answer) => settle(() => this.#checkAnswer(entry, answer, event)),
        (error: unknown) => settle(() => this.#checkError(entry, error, refusal)),
      )
      .catch((error: unknown) => this.#violations.push(error));
  }

  readonly #violations: unknown[] = [];

  #enter(question: Question, waiting: readonly Entry[]): Entry {
    const equal = waiting.find((entry) => entry.tries.length === 0 && entry.question.key === question.key);
    if (equal !== undefined && question.key !== undefined) {
      equal.askers += 1;
      return equal;
    }
    const entry = { question, askedAt: this.timers.now(), tries: [], askers: 1, settled: false };
    this.#entries.push(entry);
    return entry;
  }

  get #underWay(): Try[] {
    return this.#tries.filter((one) => one.ended === 'open');
  }

  /** Questions that no statement carries, in the order of arrival. */
  get #waiting(): Entry[] {
    return this.#entries.filter((entry) => !entry.settled && entry.tries.at(-1)?.ended !== 'open');
  }

  #sent(questions: readonly Question[]): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      try {
        this.#checkStatement(questions);
      } catch (error) {
        this.#violations.push(error);
      }
      const entries = questions
        .map(({ id }) => this.#entries.find((entry) => entry.question.id === id))
        .filter((entry) => entry !== undefined);
      const number = this.#tries.length;
      const one: Try = {
        number,
        entries,
        sentAt: this.timers.now(),
        event: this.#event++,
        ended: 'open',
        finish: (ending) => {
          one.ended = ending === 'truth' && questions.some(({ bad }) => bad) ? 'answered' : ending;
          if (one.ended === 'truth') resolve(questions.map(({ id }) => ({ id, statement: number })));
          else reject(Object.assign(failures[one.ended](), { statement: number }));
          if (one.ended === 'broken' || one.ended === 'notSent') this.#troubleAt = this.timers.now();
          else if (one.ended !== 'fault') this.#troubleAt = undefined;
        },
      };
      this.#tries.push(one);
      for (const entry of entries) entry.tries.push(one);
    });
  }

  #end(pick: number, ending: Ending): void {
    const open = this.#underWay;
    open[pick % Math.max(1, open.length)]?.finish(ending);
  }

  #close(): void {
    this.#closed = true;
    void this.#group.close();
  }

  async #pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1) {
      await this.timers.pass(1);
      this.#check();
    }
  }

  #check(): void {
    expect(this.#violations).toEqual([]);
    const now = this.timers.now();
    expect(this.#entries.filter((entry) => !entry.settled && now - entry.askedAt > TIMEOUT_MS)).toEqual([]);
    // A statement gives its place up when it ends, and otherwise when it is old enough to be lost.
    const open = this.#underWay;
    for (const one of open.slice(0, open.length - this.#group.underWay)) {
      expect(now - one.sentAt).toBeGreaterThanOrEqual(TIMEOUT_MS * TIMEOUTS_UNTIL_LOST);
      one.ended = 'lost';
      this.#troubleAt = now;
    }
    for (const one of this.#underWay) {
      expect(now - one.sentAt).toBeLessThan(TIMEOUT_MS * TIMEOUTS_UNTIL_LOST + SWEEP_MS);
    }
  }

  /** A statement holds exactly the earliest questions that may go together, and has a place. */
  #checkStatement(questions: readonly Question[]): void {
    expect(this.#underWay.length).toBeLessThan(
      this.#troubleAt === undefined ? this.limits.concurrencyMax : 1,
    );
    if (this.#troubleAt !== undefined) {
      expect(this.timers.now()).toBeGreaterThanOrEqual(this.#troubleAt + REST_MS);
    }
    const waiting = this.#waiting;
    const firstAlone = waiting.findIndex((entry) => mustBeAlone(entry));
    const together = firstAlone === -1 ? waiting : waiting.slice(0, Math.max(1, firstAlone));
    expect(questions.map(({ id }) => id)).toEqual(
      together.slice(0, this.limits.sizeMax).map(({ question }) => question.id),
    );
    for (const entry of waiting.slice(0, questions.length)) this.#checkNextTry(entry, questions.length);
  }

  #checkNextTry({ tries }: Entry, questions: number): void {
    const last = tries.at(-1);
    const size = last?.entries.length ?? 0;
    const read = this.limits.onBrokenConnection === 'ask-again';
    if (last?.ended === 'broken')
      expect([read, tries.filter(({ ended }) => ended === 'broken').length]).toEqual([true, 1]);
    if (last?.ended === 'answered') expect([size > 1, questions]).toEqual([true, 1]);
    if (last?.ended === 'fault') expect([read, size > 1, questions]).toEqual([true, true, 1]);
    expect(['open', 'truth', 'refused', 'lost']).not.toContain(last?.ended);
  }

  #checkAnswer(entry: Entry | undefined, answer: Answer, askedAtEvent: number): void {
    expect(answer.id).toBe(entry?.question.id);
    const statement = this.#tries[answer.statement];
    expect(statement?.entries).toContain(entry);
    expect(statement?.event).toBeGreaterThan(askedAtEvent);
  }

  #checkError(entry: Entry | undefined, error: unknown, refusal: string | undefined): void {
    const reason = error instanceof UnavailableError ? error.reason : 'error';
    if (entry === undefined) {
      expect(reason).toBe(refusal);
      return;
    }
    const last = entry.tries.at(-1);
    if (reason === 'timed-out') {
      const age = this.timers.now() - entry.askedAt;
      expect(age).toBeGreaterThan(TIMEOUT_MS - SWEEP_MS);
      expect(age).toBeLessThanOrEqual(TIMEOUT_MS);
    } else if (reason === 'database') {
      const brokenForGood =
        this.limits.onBrokenConnection === 'fail' ||
        entry.tries.filter(({ ended }) => ended === 'broken').length === 2;
      expect(last?.ended === 'refused' || (last?.ended === 'broken' && brokenForGood)).toBe(true);
    } else {
      expect(error).toMatchObject({ statement: last?.number });
      const mayBeShared = last?.ended === 'fault' && this.limits.onBrokenConnection === 'fail';
      expect(['answered', 'fault']).toContain(last?.ended);
      if (!mayBeShared) expect(last?.entries).toEqual([entry]);
    }
  }
}

const mustBeAlone = ({ tries }: Entry): boolean =>
  tries.some(({ ended, entries }) => (ended === 'answered' || ended === 'fault') && entries.length > 1);

const limits = fc.record({
  sizeMax: fc.integer({ min: 1, max: 5 }),
  concurrencyMax: fc.integer({ min: 1, max: 3 }),
  waitingMax: fc.integer({ min: 1, max: 20 }),
  onBrokenConnection: fc.constantFrom('ask-again' as const, 'fail' as const),
});

const ask = fc.record({
  do: fc.constant('ask' as const),
  key: fc.constantFrom(undefined, undefined, 'x', 'y'),
  bad: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const turn = fc.constant({ do: 'turn' as const });
const end = fc.record({
  do: fc.constant('end' as const),
  pick: fc.nat(5),
  ending: fc.constantFrom<Ending>(
    'truth',
    'truth',
    'truth',
    'notSent',
    'broken',
    'answered',
    'refused',
    'fault',
  ),
});
const pass = fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 10, 25, 60, 150, 1100) });
const close = fc.constant({ do: 'close' as const });

const steps = fc.array(
  fc.oneof<fc.MaybeWeightedArbitrary<fc.Arbitrary<Step>>[]>(
    { arbitrary: ask, weight: 40 },
    { arbitrary: turn, weight: 20 },
    { arbitrary: end, weight: 25 },
    { arbitrary: pass, weight: 12 },
    { arbitrary: close, weight: 1 },
  ),
  { maxLength: 80, size: 'max' },
);

describe('a group, beside a naive model of it', () => {
  it('settles each question once, in time, with its own fresh answer or error, and heals after all', async () => {
    await fc.assert(
      fc.asyncProperty(limits, steps, async (given, all) => {
        const world = new World(given);
        await world.run(all);
        await world.heal();
      }),
      { numRuns: 300 },
    );
  });
});
