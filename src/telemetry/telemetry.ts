import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import type { BatchReport } from '../batching/batcher.js';
import type { AnyBatcher, BatchObserver } from '../batching/batching.js';
import type { HttpObserver, SocketResponse } from '../http/observer.js';
import { routeConfigOf } from '../common/route.decorators.js';
import type { AdmissionObserver } from '../throttling/admission-statement.js';
import type { RequestLog } from './logging/request-log.js';
import { AdmissionMetrics } from './metrics/admission-metrics.js';
import { GroupMetrics } from './metrics/group-metrics.js';
import { HttpMetrics } from './metrics/http-metrics.js';
import type { Tracing } from './tracing.js';

/** W3C Trace Context, section 3.2. OpenTelemetry has a parser, but is not loaded without tracing. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

const MS = 0.001;

/** Writes a log line, metrics and a span for each request. */
export class Telemetry implements HttpObserver, BatchObserver, AdmissionObserver {
  readonly registry = new Registry();
  readonly contextOf?: () => unknown;
  readonly #log: RequestLog;
  readonly #tracing: Tracing | undefined;
  readonly #http = new HttpMetrics(this.registry);
  readonly #admissions = new AdmissionMetrics(this.registry);
  readonly #groups = new GroupMetrics(this.registry);

  constructor(log: RequestLog, tracing?: Tracing) {
    this.#log = log;
    this.#tracing = tracing;
    if (tracing?.contextOf !== undefined) this.contextOf = tracing.contextOf;
  }

  begun(request: FastifyRequest): void {
    this.#http.begun();
    this.#tracing?.begun(request);
  }

  answered(request: FastifyRequest, reply: FastifyReply): void {
    const { operation } = routeConfigOf(request);
    const isRefused = request.decision?.rejection !== undefined;
    const seconds = isRefused ? undefined : reply.elapsedTime * MS;
    this.#http.answered(operation, request.method, reply.statusCode, seconds);
    if (request.decision !== null) this.#admissions.decided(request.decision);
    this.#tracing?.responded(request, reply);
    this.#log.responded(request, reply, this.#traceIdOf(request));
  }

  respondedOnSocket(response: SocketResponse): void {
    this.#http.respondedOnSocket(response.error.status);
    this.#admissions.decided(response.decision);
    this.#log.respondedOnSocket(response);
  }

  batcherMade(batcher: AnyBatcher): void {
    this.#groups.watch(batcher);
  }

  statementEnded(report: BatchReport): void {
    this.#groups.statementEnded(report);
    this.#tracing?.statementEnded(report);
  }

  banStarted(): void {
    this.#admissions.banStarted();
  }

  /** Without tracing it is the caller's, so that its trace leads to the line. */
  #traceIdOf(request: FastifyRequest): string | undefined {
    if (this.#tracing !== undefined) return this.#tracing.traceIdOf(request);
    return TRACEPARENT.exec(String(request.headers['traceparent']))?.[1];
  }
}
