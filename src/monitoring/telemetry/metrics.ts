import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { AdmissionObserver } from '../../auth/admission/admission-statement.js';
import { routeConfigOf } from '../../auth/route-config.js';
import type { BatchReport } from '../../batching/batcher.js';
import { type AnyBatcher, type BatchObserver, SIZE_MAX } from '../../batching/batching.js';
import { type AdmissionDecision, exceededBy } from '../../auth/admission/decision.js';
import { WINDOWS } from '../../auth/admission/windows.js';
import { DATABASE_FAILURES, UNAVAILABLE_REASONS, UnavailableError } from '../../errors/database-errors.js';
import { METHODS } from '../../http/common-headers.js';
import type { HttpObserver, SocketResponse } from '../../http/observer.js';

/** Clients can make up any other method. */
const LABELLED_METHODS: ReadonlySet<string> = new Set([...METHODS, 'OPTIONS']);

/** The value of `operation` where no route matched, and of `plan` without a valid key. */
const NONE = 'none';

/** Plans with their own series. Plans are rows, so there can be thousands. */
const PLANS_MAX = 50;

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];
const ITEMS = [1, 2, 4, 8, 16, SIZE_MAX];
const LIMITS = [...WINDOWS.map(({ name }) => name), 'ban', 'address', 'documents'] as const;

/** The metrics of requests, admission and batches. Each has a panel of the dashboard or an alert. */
@Injectable()
export class Metrics implements HttpObserver, BatchObserver, AdmissionObserver {
  readonly registry = new Registry();
  readonly #batchers: AnyBatcher[] = [];
  readonly #plans = new Set<string>();

  readonly #requests = new Counter({
    name: 'petstore_http_requests_total',
    help: 'Responses sent. The operation is "none" if no route matched or the bytes were not HTTP.',
    labelNames: ['operation', 'method', 'status'],
    registers: [this.registry],
  });
  readonly #durations = new Histogram({
    name: 'petstore_http_request_duration_seconds',
    help: 'Time from the end of the request headers to the response, except requests rejected by admission.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #inFlight = new Gauge({
    name: 'petstore_http_requests_in_flight',
    help: 'Requests without a response yet.',
    registers: [this.registry],
  });
  readonly #admissions = new Counter({
    name: 'petstore_admissions_total',
    help: 'Admission decisions, by plan ("none" without a valid key) and outcome (docs/glossary.md).',
    labelNames: ['plan', 'outcome'],
    registers: [this.registry],
  });
  readonly #rejections = new Counter({
    name: 'petstore_rejections_total',
    help: 'Responses with status 429, by the limit that was exceeded.',
    labelNames: ['window'],
    registers: [this.registry],
  });
  readonly #unavailable = new Counter({
    name: 'petstore_unavailable_total',
    help: 'Responses with status 503, by reason (docs/operations.md).',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  readonly #bans = new Counter({
    name: 'petstore_bans_started_total',
    help: 'Bans started by this replica.',
    registers: [this.registry],
  });
  readonly #batchSizes = new Histogram({
    name: 'petstore_batch_size',
    help: 'Items in a statement.',
    labelNames: ['batch'],
    buckets: ITEMS,
    registers: [this.registry],
  });
  readonly #batchWaits = new Histogram({
    name: 'petstore_batch_wait_seconds',
    help: 'Time that the oldest item of a statement waited before sending.',
    labelNames: ['batch'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #statements = new Histogram({
    name: 'petstore_statement_duration_seconds',
    help: 'Time from sending a statement to its result or failure.',
    labelNames: ['batch'],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #failures = new Counter({
    name: 'petstore_statement_failures_total',
    help: 'Failed statements. Most of their items are retried.',
    labelNames: ['batch', 'failure'],
    registers: [this.registry],
  });

  constructor() {
    // Initialized to 0: `rate` misses the first event of a series that appears with it.
    for (const outcome of ['unknown', 'revoked', 'expired', 'undecided'] as const) {
      this.#admissions.inc({ plan: NONE, outcome }, 0);
    }
    for (const window of LIMITS) this.#rejections.inc({ window }, 0);
    for (const reason of UNAVAILABLE_REASONS) this.#unavailable.inc({ reason }, 0);
    const waiting: Gauge<'batch'> = new Gauge({
      name: 'petstore_batch_waiting',
      help: 'Items waiting for a statement.',
      labelNames: ['batch'],
      registers: [this.registry],
      collect: () => {
        waiting.reset();
        for (const batcher of this.#batchers) waiting.inc({ batch: batcher.name }, batcher.waiting);
      },
    });
  }

  begun(): void {
    this.#inFlight.inc();
  }

  responded(request: FastifyRequest, reply: FastifyReply): void {
    const { decision, failure, method } = request;
    const { operation } = routeConfigOf(request);
    this.#inFlight.dec();
    // Some rejections are delayed, and a flood of them is not a slow service.
    if (decision?.rejection === undefined)
      this.#durations.observe({ operation: operation ?? NONE }, reply.elapsedTime / 1000);
    this.#countRequest(operation, method, reply.statusCode);
    if (decision !== null) this.decided(decision);
    if (failure instanceof UnavailableError) this.#unavailable.inc({ reason: failure.reason });
  }

  respondedOnSocket({ decision, error }: SocketResponse): void {
    this.#countRequest(undefined, 'other', error.status);
    this.decided(decision);
  }

  /** A served public document has neither a key nor a rejection, and is not counted. */
  decided(decision: AdmissionDecision): void {
    const { state, caller, rejection, isLookupRejected } = decision;
    if (caller === undefined && rejection === undefined) return;
    this.#admissions.inc({ plan: this.#planOf(caller?.planId), outcome: state });
    const window = isLookupRejected ? undefined : exceededBy(decision);
    if (window !== undefined) this.#rejections.inc({ window });
  }

  banStarted(): void {
    this.#bans.inc();
  }

  /** Reports the batcher's queue and its failures from now on. */
  batcherCreated(batcher: AnyBatcher): void {
    this.#batchers.push(batcher);
    for (const failure of DATABASE_FAILURES) this.#failures.inc({ batch: batcher.name, failure }, 0);
  }

  statementEnded({ batcher: batch, items, sentAt, durationMs, failure }: BatchReport): void {
    this.#batchSizes.observe({ batch }, items.length);
    const oldestAt = Math.min(...items.map(({ enqueuedAt }) => enqueuedAt));
    this.#batchWaits.observe({ batch }, (sentAt - oldestAt) / 1000);
    this.#statements.observe({ batch }, durationMs / 1000);
    if (failure !== undefined) this.#failures.inc({ batch, failure });
  }

  #countRequest(operation = NONE, method: string, status: number): void {
    this.#requests.inc({ operation, method: LABELLED_METHODS.has(method) ? method : 'other', status });
  }

  #planOf(plan: string | undefined): string {
    if (plan === undefined) return NONE;
    if (this.#plans.size < PLANS_MAX) this.#plans.add(plan);
    return this.#plans.has(plan) ? plan : 'other';
  }
}
