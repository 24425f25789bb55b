import { PartlyAnswered } from '../../src/batching/group-options.js';
import { failures } from './fake-group.js';

/** A question; the database answers a statement that holds a `bad` one with an error. */
export interface Question {
  readonly id: number;
  readonly key: string | undefined;
  readonly bad: boolean;
}

export interface Answer {
  readonly id: number;
  readonly statement: number;
}

/** How a statement ends: as the database would end it, or with a fault. */
export type Ending = 'truth' | keyof typeof failures;

/** What the model knows of a question and those who share it. */
export interface Entry {
  readonly question: Question;
  /** Of those who share it, the earliest. */
  deadline: number;
  readonly statements: Statement[];
  askers: number;
  settled: boolean;
}

export interface Statement {
  readonly entries: readonly Entry[];
  readonly sentAt: number;
  /** Its number among all events, for time alone does not tell which of two came first. */
  readonly event: number;
  ended: 'open' | Ending;
  readonly finish: (ending: Ending, partly?: boolean) => void;
}

/** The error that a statement fails with; `partly` after it has answered every other question. */
export function failureOf({
  questions,
  number,
  ended,
  partly,
}: {
  readonly questions: readonly Question[];
  readonly number: number;
  readonly ended: keyof typeof failures;
  readonly partly: boolean;
}): Error {
  const error = Object.assign(failures[ended](), { statement: number });
  if (!partly) return error;
  const everyOther = questions.map(({ id, bad }, i) =>
    i % 2 === 0 && !bad ? { id, statement: number } : undefined,
  );
  return new PartlyAnswered(everyOther, error);
}

export function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken rule: ${rule}`);
}

export interface Rules {
  /** A broken statement is sent again. */
  readonly reads: boolean;
  /** What the server ended by a time-out is sent again as it was. */
  readonly together: boolean;
}

/** A question goes alone once a statement that it shared was answered with an error that one item may have caused. */
export const mustBeAlone = ({ statements }: Entry, { together }: Rules): boolean =>
  statements.some(
    ({ ended, entries }) =>
      (ended === 'answered' || ended === 'fault' || (ended === 'serverTimeout' && !together)) &&
      entries.length > 1,
  );

const timesBroken = (statements: readonly Statement[]): number =>
  statements.filter(({ ended }) => ended === 'broken').length;

/** Whether this question may be in a statement of so many, after what it went through. */
export function checkNextTry({ statements }: Entry, questions: number, { reads, together }: Rules): void {
  const last = statements.at(-1);
  if (last === undefined || last.ended === 'notSent') return;
  if (last.ended === 'serverTimeout' && together) return;
  if (last.ended === 'broken') {
    must(reads && timesBroken(statements) === 1, 'broken: only reads, and once');
    return;
  }
  must(
    last.ended === 'answered' || last.ended === 'serverTimeout' || (last.ended === 'fault' && reads),
    'asked again without need',
  );
  must(last.entries.length > 1 && questions === 1, 'asked again alone');
}

/** Whether this question may have been settled with an error of its last statement, as unavailable or as it is. */
export function checkLastError(
  { statements }: Entry,
  unavailable: boolean,
  { reads, together }: Rules,
): void {
  const last = statements.at(-1);
  const wasAlone = last?.entries.length === 1;
  if (unavailable) {
    const forGood = last?.ended === 'broken' && (!reads || timesBroken(statements) === 2);
    const inVain = last?.ended === 'serverTimeout' && !together && wasAlone;
    must(forGood || inVain || last?.ended === 'refused', 'unavailable only when it is');
  } else {
    must(
      (last?.ended === 'answered' && wasAlone) || (last?.ended === 'fault' && (wasAlone || !reads)),
      'its own error',
    );
  }
}
