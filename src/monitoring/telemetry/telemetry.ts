import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { BatchReport } from '../../batching/batcher.js';
import type { AnyBatcher, BatchObserver } from '../../batching/batching.js';
import type { HttpObserver, SocketResponse } from '../../http/observer.js';
import { UnavailableError } from '../../errors/database-errors.js';
import { routeConfigOf } from '../../auth/route-config.js';
import type { AdmissionObserver } from '../../auth/admission/admission-statement.js';
import type { RequestLog } from './request-log.js';
import { Metrics } from './metrics.js';
import type { Tracing } from './tracing.js';

/**
 * W3C Trace Context, section 3.2: version 00 has 55 characters, later ones may have more. OpenTelemetry has a parser, but is not loaded
 * without tracing.
 */
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

const MS = 0.001;

/** Writes a log line, metrics and a span for each request. */
export class Telemetry implements HttpObserver, BatchObserver, AdmissionObserver {
  readonly contextOf?: () => unknown;
  readonly #log: RequestLog;
  readonly #tracing: Tracing | undefined;
  readonly #metrics = new Metrics();

  constructor(log: RequestLog, tracing?: Tracing) {
    this.#log = log;
    this.#tracing = tracing;
    if (tracing?.contextOf !== undefined) this.contextOf = tracing.contextOf;
  }

  get registry(): Registry {
    return this.#metrics.registry;
  }

  begun(request: FastifyRequest): void {
    this.#metrics.requestBegan();
    this.#tracing?.begun(request);
  }

  responded(request: FastifyRequest, reply: FastifyReply): void {
    const { decision, method } = request;
    const seconds = decision?.rejection === undefined ? reply.elapsedTime * MS : undefined;
    this.#metrics.responded(routeConfigOf(request).operation, method, reply.statusCode, seconds);
    if (decision !== null) this.#metrics.decided(decision);
    if (request.failure instanceof UnavailableError) this.#metrics.unavailable(request.failure.reason);
    this.#tracing?.responded(request, reply);
    this.#log.responded(request, reply, this.#traceIdOf(request));
  }

  respondedOnSocket(response: SocketResponse): void {
    this.#metrics.respondedOnSocket(response.error.status);
    this.#metrics.decided(response.decision);
    this.#log.respondedOnSocket(response);
  }

  batcherMade(batcher: AnyBatcher): void {
    this.#metrics.watch(batcher);
  }

  statementEnded(report: BatchReport): void {
    this.#metrics.statementEnded(report);
    this.#tracing?.statementEnded(report);
  }

  banStarted(): void {
    this.#metrics.banStarted();
  }

  housekeepingFailed(): void {
    this.#metrics.housekeepingFailed();
  }

  /** Sends the remaining spans. */
  async close(): Promise<void> {
    await this.#tracing?.close();
  }

  /** Without tracing it is the caller's, so that its trace leads to the line. */
  #traceIdOf(request: FastifyRequest): string | undefined {
    if (this.#tracing !== undefined) return this.#tracing.traceIdOf(request);
    return TRACEPARENT.exec(String(request.headers['traceparent']))?.[1];
  }
}
