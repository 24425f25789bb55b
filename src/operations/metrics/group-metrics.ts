import type { Registry } from 'prom-client';
import { DATABASE_FAILURES } from '../../database/database-errors.js';
import type { StatementReport } from '../../database/group.js';
import { SIZE_MAX } from '../../database/groups.js';
import { Counts } from './count.js';
import { type Distribution, Distributions } from './distribution.js';
import { registerGauge } from './gauge.js';

/** A group as far as metrics go. */
export interface WaitedFor {
  readonly name: string;
  /** Questions that wait for a statement now. */
  readonly waiting: number;
}

/** Up to a statement that is full. */
const QUESTIONS = [1, 2, 4, 8, 16, SIZE_MAX];

/** A request waits for 1.9 s at most. */
const WAIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** Past two seconds only commits take so long. */
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

const MS = 0.001;

interface OfGroup {
  readonly size: Distribution;
  readonly wait: Distribution;
  readonly duration: Distribution;
}

/** How the groups of questions do: their size, how long questions wait for their statement, and how long that takes. */
export class GroupMetrics {
  readonly #sizes: Distributions<'group'>;
  readonly #waits: Distributions<'group'>;
  readonly #durations: Distributions<'group'>;
  readonly #failures: Counts<'group' | 'failure'>;
  readonly #groups = new Map<string, OfGroup>();

  /** @param groups those of this process, asked for when somebody reads the metrics */
  constructor(registry: Registry, groups: () => Iterable<WaitedFor>) {
    const distributions = (name: string, help: string, bounds: readonly number[]): Distributions<'group'> =>
      new Distributions(registry, { name, help, label: 'group', bounds });
    this.#sizes = distributions('petstore_group_size', 'Questions in a statement.', QUESTIONS);
    this.#waits = distributions(
      'petstore_group_wait_seconds',
      'From the question to the sending of the statement that carries it.',
      WAIT_SECONDS,
    );
    this.#durations = distributions(
      'petstore_statement_duration_seconds',
      'From the sending of a statement to its answer, or to its failure.',
      STATEMENT_SECONDS,
    );
    this.#failures = new Counts(
      registry,
      'petstore_statement_failures_total',
      'Statements that failed; most questions are asked again.',
      ['group', 'failure'],
    );
    const about = {
      name: 'petstore_group_waiting',
      help: 'Questions that wait for a statement now.',
      labelNames: ['group'],
    } as const;
    registerGauge(registry, about, (gauge) => {
      gauge.reset();
      for (const { name, waiting } of groups()) gauge.inc({ group: name }, waiting);
    });
  }

  statementEnded({ group, asked, sentAt, durationMs, failure }: StatementReport): void {
    const { size, wait, duration } = this.#of(group);
    size.observe(asked.length);
    for (const { askedAt } of asked) wait.observe((sentAt - askedAt) * MS);
    duration.observe(durationMs * MS);
    if (failure !== undefined) this.#failures.of({ group, failure }).value += 1;
  }

  #of(group: string): OfGroup {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const made = {
      size: this.#sizes.of(group),
      wait: this.#waits.of(group),
      duration: this.#durations.of(group),
    };
    this.#groups.set(group, made);
    // At 0 from the first statement on: a rate knows nothing of the first event of a series that appears with it.
    for (const failure of DATABASE_FAILURES) this.#failures.of({ group, failure });
    return made;
  }
}
