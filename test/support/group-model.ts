import { UnavailableError } from '../../src/common/errors/database-errors.js';
import { Group, REST_MS, SWEEP_MS, type GroupOptions } from '../../src/batching/group.js';
import { FakeTimers, settled } from './fake-group.js';
import {
  checkLastError,
  checkNextTry,
  failureOf,
  must,
  mustBeAlone,
  type Rules,
  type Answer,
  type Ending,
  type Entry,
  type Question,
  type Statement,
} from './group-rules.js';

const TIMEOUT_MS = 100;

/** Every moment is a multiple of it, so that the model sees each. */
const MOMENT_MS = 5;

export type Step =
  | {
      readonly do: 'ask';
      readonly key: string | undefined;
      readonly bad: boolean;
      /** Milliseconds from now; undefined: the group's own. */
      readonly within?: number | undefined;
    }
  | { readonly do: 'turn' }
  | { readonly do: 'end'; readonly pick: number; readonly ending: Ending; readonly partly: boolean }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'close' };

export type Limits = Pick<
  GroupOptions<Question, Answer>,
  'sizeMax' | 'concurrencyMax' | 'waitingMax' | 'endsWithinMs' | 'onBrokenConnection' | 'onServerTimeout'
>;

/** A group beside a naive model of it, which keeps everything and works everything out anew at each step. */
export class GroupBesideModel {
  readonly #limits: Limits;
  readonly #group: Group<Question, Answer>;
  readonly #timers = new FakeTimers();
  readonly #entries: Entry[] = [];
  readonly #statements: Statement[] = [];
  readonly #broken: unknown[] = [];
  #events = 0;
  #asks = 0;
  #settledAsks = 0;
  #closed = false;
  #troubleAt: number | undefined;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#group = new Group({
      ...limits,
      name: 'model',
      timeoutMs: TIMEOUT_MS,
      timers: this.#timers,
      shareKey: (question) => question.key,
      send: (questions, sendBefore) => this.#send(questions, sendBefore),
    });
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step.do === 'ask') this.#ask(step.key, step.bad, step.within);
      if (step.do === 'turn') await this.#turn();
      if (step.do === 'end') this.#end(step.pick, step.ending, step.partly);
      if (step.do === 'pass') await this.#pass(step.ms);
      if (step.do === 'close') this.#close();
      await settled();
      this.#look();
    }
  }

  /** Ends all faults; some statements end later than all that waits. */
  async heal(): Promise<void> {
    const late = new Set(this.#underWay.filter((_, i) => i % 2 === 1));
    for (let passed = 0; passed < 6 * TIMEOUT_MS; passed += SWEEP_MS) {
      for (const one of this.#underWay) {
        if (!late.has(one) || passed > 3 * TIMEOUT_MS) one.finish('truth');
      }
      await this.#pass(SWEEP_MS);
      await this.#turn();
    }
    must(this.#settledAsks === this.#asks, 'each question is settled');
    must(this.#group.waiting + this.#group.underWay === 0, 'nothing is left behind');
    await this.#pass(SWEEP_MS);
    must(this.#timers.running === 0, 'no timer runs in vain');
    if (this.#closed) return;
    this.#ask(undefined, false);
    await this.#turn();
    this.#end(0, 'truth');
    await settled();
    must(this.#statements.at(-1)?.ended === 'truth' && this.#settledAsks === this.#asks, 'all heals');
    this.#look();
    await this.#group.close();
  }

  #ask(key: string | undefined, bad: boolean, within = TIMEOUT_MS): void {
    const question = { id: this.#asks++, key, bad };
    const event = this.#events++;
    const askers = this.#waiting.reduce((sum, entry) => sum + entry.askers, 0);
    const refusal = this.#closed ? 'closing' : askers >= this.#limits.waitingMax ? 'overloaded' : undefined;
    const entry = refusal === undefined ? this.#enter(question, within) : undefined;
    const check = (rules: () => void): void => {
      this.#settledAsks += 1;
      if (entry !== undefined) entry.settled = true;
      rules();
    };
    this.#group
      .ask(question, this.#timers.now() + within)
      .then(
        (answer) => check(() => this.#checkAnswer(entry, answer, event)),
        (error: unknown) => check(() => this.#checkError(entry, error, refusal)),
      )
      .catch((error: unknown) => this.#broken.push(error));
  }

  #enter(question: Question, within: number): Entry {
    const askedAt = this.#timers.now();
    const deadline = askedAt + within;
    const equal = this.#waiting.find(
      (entry) =>
        entry.statements.length === 0 && question.key !== undefined && entry.question.key === question.key,
    );
    if (equal !== undefined) {
      equal.askers += 1;
      equal.deadline = Math.min(equal.deadline, deadline);
      return equal;
    }
    const entry = { question, deadline, statements: [], askers: 1, settled: false };
    this.#entries.push(entry);
    return entry;
  }

  #send(questions: readonly Question[], sendBefore: number): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      const entries = this.#sendable.slice(0, questions.length);
      try {
        this.#checkStatement(questions);
        for (const entry of entries) checkNextTry(entry, questions.length, this.#rules);
        const earliest = Math.min(...entries.map(({ deadline }) => deadline));
        must(sendBefore === earliest - this.#endsWithinMs, 'it says until when it may be sent');
        must(sendBefore >= this.#timers.now(), 'nothing is sent that the server may not have ended in time');
      } catch (error) {
        this.#broken.push(error);
      }
      const number = this.#statements.length;
      const statement: Statement = {
        entries,
        sentAt: this.#timers.now(),
        event: this.#events++,
        ended: 'open',
        finish: (ending, partly = false) => {
          const ended = ending === 'truth' && questions.some(({ bad }) => bad) ? 'answered' : ending;
          statement.ended = ended;
          const isBusy = ended === 'serverTimeout' && this.#limits.onServerTimeout === 'together';
          if (ended === 'broken' || ended === 'notSent' || isBusy) this.#troubleAt = this.#timers.now();
          else if (ended !== 'fault') this.#troubleAt = undefined;
          if (ended === 'truth') resolve(questions.map(({ id }) => ({ id, statement: number })));
          else reject(failureOf({ questions, number, ended, partly }));
        },
      };
      this.#statements.push(statement);
      for (const entry of entries) entry.statements.push(statement);
    });
  }

  async #turn(): Promise<void> {
    await this.#timers.turn();
    const mayStart = this.#troubleAt === undefined && this.#underWay.length < this.#limits.concurrencyMax;
    must(!mayStart || this.#waiting.length === 0, 'nothing waits while a place is free');
  }

  async #pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += MOMENT_MS) {
      await this.#timers.pass(MOMENT_MS);
      this.#look();
    }
  }

  #end(pick: number, ending: Ending, partly?: boolean): void {
    const underWay = this.#underWay;
    underWay[pick % Math.max(1, underWay.length)]?.finish(ending, partly);
  }

  #close(): void {
    this.#closed = true;
    void this.#group.close();
  }

  get #rules(): Rules {
    const { onBrokenConnection, onServerTimeout } = this.#limits;
    return { reads: onBrokenConnection === 'ask-again', together: onServerTimeout === 'together' };
  }

  get #endsWithinMs(): number {
    return this.#limits.endsWithinMs ?? 0;
  }

  /** Questions that no statement carries, in the order of arrival. */
  get #waiting(): Entry[] {
    return this.#entries.filter((entry) => !entry.settled && entry.statements.at(-1)?.ended !== 'open');
  }

  /** Those of them that are not given up at this moment. */
  get #sendable(): Entry[] {
    const endsAt = this.#timers.now() + this.#endsWithinMs;
    return this.#waiting.filter(({ deadline }) => deadline >= endsAt);
  }

  get #underWay(): Statement[] {
    return this.#statements.filter(({ ended }) => ended === 'open');
  }

  #look(): void {
    if (this.#broken.length > 0) throw this.#broken[0];
    const now = this.#timers.now();
    for (const { settled: done, deadline } of this.#entries) must(done || now <= deadline, 'in time');
    must(this.#underWay.length === this.#group.underWay, 'a statement keeps its place until it ends');
  }

  #checkStatement(questions: readonly Question[]): void {
    const { concurrencyMax, sizeMax } = this.#limits;
    const inTrouble = this.#troubleAt !== undefined;
    must(this.#underWay.length < (inTrouble ? 1 : concurrencyMax), 'concurrencyMax; one in trouble');
    must(this.#timers.now() >= (this.#troubleAt ?? -REST_MS) + REST_MS, 'it rests after trouble');
    const waiting = this.#sendable;
    const firstAlone = waiting.findIndex((entry) => mustBeAlone(entry, this.#rules));
    const together = firstAlone === -1 ? waiting : waiting.slice(0, Math.max(1, firstAlone));
    const expected = together.slice(0, sizeMax).map(({ question }) => question.id);
    must(
      String(questions.map(({ id }) => id)) === String(expected),
      'the earliest, as many as may go together',
    );
  }

  #checkAnswer(entry: Entry | undefined, answer: Answer, askedAtEvent: number): void {
    const statement = this.#statements[answer.statement];
    must(entry !== undefined && answer.id === entry.question.id, 'the answer to this question');
    must(entry !== undefined && statement?.entries.includes(entry) === true, 'of a statement that held it');
    must(statement !== undefined && statement.event > askedAtEvent, 'sent after the question arrived');
  }

  #checkError(entry: Entry | undefined, error: unknown, refusal: string | undefined): void {
    const reason = error instanceof UnavailableError ? error.reason : 'error';
    if (entry === undefined) {
      must(reason === refusal, 'refused only when full or closed');
      return;
    }
    if (reason === 'timed-out') {
      const left = entry.deadline - this.#timers.now();
      const isUnderWay = entry.statements.at(-1)?.ended === 'open';
      must(
        left >= 0 && left < SWEEP_MS + (isUnderWay ? 0 : this.#endsWithinMs),
        'given up at its deadline, or when it can no longer be sent',
      );
      return;
    }
    must(
      reason === 'database' || this.#isOf(error, entry.statements.at(-1)),
      'the error of its own statement',
    );
    checkLastError(entry, reason === 'database', this.#rules);
  }

  #isOf(error: unknown, statement: Statement | undefined): boolean {
    return (
      error instanceof Object &&
      'statement' in error &&
      this.#statements[Number(error.statement)] === statement
    );
  }
}
