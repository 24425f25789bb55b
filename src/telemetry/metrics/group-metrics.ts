import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { DATABASE_FAILURES } from '../../common/errors/database-errors.js';
import type { BatchReport } from '../../batching/batcher.js';
import { type AnyBatcher, SIZE_MAX } from '../../batching/batching.js';

/** Up to a statement that is full. */
const QUESTIONS = [1, 2, 4, 8, 16, SIZE_MAX];

/** A request waits for 1.9 s at most. */
const WAIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** Past two seconds only commits take so long. */
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

const MS = 0.001;

/** The series of a group. Kept, for prom-client looks for a series by its labels each time. */
interface OfGroup {
  readonly size: Histogram.Internal<'batch'>;
  readonly wait: Histogram.Internal<'batch'>;
  readonly duration: Histogram.Internal<'batch'>;
}

/** How the groups of questions do: their size, how long questions wait for their statement, and how long that takes. */
export class GroupMetrics {
  readonly #sizes: Histogram<'batch'>;
  readonly #waits: Histogram<'batch'>;
  readonly #durations: Histogram<'batch'>;
  readonly #failures: Counter<'batch' | 'failure'>;
  readonly #groups = new Map<string, OfGroup>();
  readonly #watched: AnyBatcher[] = [];

  constructor(registry: Registry) {
    const registers = [registry];
    const histogram = (name: string, help: string, buckets: number[]): Histogram<'batch'> =>
      new Histogram({ name, help, labelNames: ['batch'], buckets, registers });
    this.#sizes = histogram('petstore_batch_size', 'Items in a statement.', QUESTIONS);
    this.#waits = histogram(
      'petstore_batch_wait_seconds',
      'Time that an item waits until its statement is sent.',
      WAIT_SECONDS,
    );
    this.#durations = histogram(
      'petstore_statement_duration_seconds',
      'Time from sending a statement to its result or failure.',
      STATEMENT_SECONDS,
    );
    this.#failures = new Counter({
      name: 'petstore_statement_failures_total',
      help: 'Failed statements. Most of their items are retried.',
      labelNames: ['batch', 'failure'],
      registers,
    });
    const watched = this.#watched;
    const waiting = new Gauge({
      name: 'petstore_batch_waiting',
      help: 'Items waiting for a statement.',
      labelNames: ['batch'],
      registers,
      collect() {
        waiting.reset();
        for (const { name, waiting: items } of watched) waiting.inc({ batch: name }, items);
      },
    });
  }

  /** Reports from now on how many items a batcher has queued. */
  watch(batcher: AnyBatcher): void {
    this.#watched.push(batcher);
  }

  statementEnded({ batcher, items, sentAt, durationMs, failure }: BatchReport): void {
    const { size, wait, duration } = this.#of(batcher);
    size.observe(items.length);
    for (const { enqueuedAt } of items) wait.observe((sentAt - enqueuedAt) * MS);
    duration.observe(durationMs * MS);
    if (failure !== undefined) this.#failures.inc({ batch: batcher, failure });
  }

  #of(group: string): OfGroup {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    const made = {
      size: this.#sizes.labels(group),
      wait: this.#waits.labels(group),
      duration: this.#durations.labels(group),
    };
    this.#groups.set(group, made);
    // At 0 from the first statement on: a rate knows nothing of the first event of a series that appears with it.
    for (const failure of DATABASE_FAILURES) this.#failures.inc({ batch: group, failure }, 0);
    return made;
  }
}
