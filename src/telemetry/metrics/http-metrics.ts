import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The methods that have series of their own; clients can make up any others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS']);

/** Most answers take 1 to 10 ms; two seconds is the longest that the database is waited for. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

/** What was not met by a route. */
const NONE = 'none';

/** The series of an operation. Kept, for prom-client looks for a series by its labels each time. */
interface OperationMetrics {
  readonly duration: Histogram.Internal<'operation'>;
  /** By method, then by status. */
  readonly requests: Map<string, Map<number, Counter.Internal>>;
}

/** Requests by operation, method and status, and how long those took that were let in. */
export class HttpMetrics {
  readonly #requests: Counter<'operation' | 'method' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  readonly #operations = new Map<string, OperationMetrics>();
  #underWay = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'petstore_http_requests_total',
      help: 'Responses sent. The operation is "none" if no route matched, also for bytes that are not HTTP.',
      labelNames: ['operation', 'method', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'petstore_http_request_duration_seconds',
      help: 'Time from the end of the request headers to the response, without requests rejected by admission.',
      labelNames: ['operation'],
      buckets: SECONDS,
      registers,
    });
    const underWay: Gauge = new Gauge({
      name: 'petstore_http_requests_in_flight',
      help: 'Requests without a response yet.',
      registers,
      collect: () => underWay.set(this.#underWay),
    });
  }

  begun(): void {
    this.#underWay += 1;
  }

  /** @param seconds undefined for a refusal: some come after a pause, and a flood of them is not a slow service */
  answered(operation: string | undefined, method: string, status: number, seconds: number | undefined): void {
    this.#underWay -= 1;
    const metrics = this.#of(operation ?? NONE);
    if (seconds !== undefined) metrics.duration.observe(seconds);
    this.#countOf(metrics, operation ?? NONE, method, status).inc();
  }

  respondedOnSocket(status: number): void {
    this.#countOf(this.#of(NONE), NONE, 'other', status).inc();
  }

  #of(operation: string): OperationMetrics {
    const known = this.#operations.get(operation);
    if (known !== undefined) return known;
    this.#durations.zero({ operation });
    const made = { duration: this.#durations.labels(operation), requests: new Map() };
    this.#operations.set(operation, made);
    return made;
  }

  #countOf(
    { requests }: OperationMetrics,
    operation: string,
    asked: string,
    status: number,
  ): Counter.Internal {
    const method = METHODS.has(asked) ? asked : 'other';
    let byStatus = requests.get(method);
    if (byStatus === undefined) requests.set(method, (byStatus = new Map()));
    let count = byStatus.get(status);
    if (count === undefined) {
      count = this.#requests.labels(operation, method, String(status));
      byStatus.set(status, count);
    }
    return count;
  }
}
