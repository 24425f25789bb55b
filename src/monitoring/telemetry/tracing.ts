import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withTimeout } from '../../database/with-timeout.js';
import type { BatchReport } from '../../batching/batcher.js';
import type { BatchObserver } from '../../batching/batching.js';
import type { HttpObserver } from '../../http/observer.js';
import { routeConfigOf } from '../../auth/route-config.js';
import { maskKeys } from '../../auth/keys/mask-keys.js';

/** The methods of RFC 9110 and RFC 5789. Others are `_OTHER`, as OpenTelemetry's conventions say: clients can make up any. */
const METHODS: ReadonlySet<string> = new Set(
  'GET HEAD POST PUT PATCH DELETE CONNECT OPTIONS TRACE'.split(' '),
);

/** A dead collector must not delay shutdown. */
const SHUTDOWN_MS = 1000;

/** A span for each request, with a child span for each item that it sent to the database. Uses OpenTelemetry's variables. */
export class Tracing implements HttpObserver, BatchObserver {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #spans = new WeakMap<FastifyRequest, Span>();
  /** The span of the current request. Items store it, because a statement is sent for many requests at once. */
  readonly #current = new AsyncLocalStorage<Span | undefined>();

  constructor(version: string, warn: (message: string) => void) {
    reportProblems(warn);
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'petstore', 'service.version': version }).merge(
        detectResources({ detectors: [hostDetector, serviceInstanceIdDetector, envDetector] }),
      ),
      // A bounded queue, sent in the background. Spans that do not fit are dropped.
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    this.#tracer = this.#provider.getTracer('petstore', version);
  }

  begun(request: FastifyRequest): void {
    const { method, headers } = request;
    const isKnown = METHODS.has(method);
    const span = this.#tracer.startSpan(
      isKnown ? method : 'HTTP',
      {
        kind: SpanKind.SERVER,
        attributes: isKnown
          ? { 'http.request.method': method }
          : { 'http.request.method': '_OTHER', 'http.request.method_original': method },
      },
      this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    );
    this.#spans.set(request, span);
    // Even if not recorded: the next request of a connection starts in the context of the previous one.
    this.#current.enterWith(span.isRecording() ? span : undefined);
  }

  traceIdOf(request: FastifyRequest): string | undefined {
    return this.#spans.get(request)?.spanContext().traceId;
  }

  responded(request: FastifyRequest, reply: FastifyReply): void {
    const span = this.#spans.get(request);
    if (span === undefined) return;
    if (span.isRecording()) {
      const { url: route } = request.routeOptions;
      if (route !== undefined) span.updateName(`${request.method} ${route}`);
      span.setAttributes(attributesOf(request, reply));
      if (reply.statusCode >= 500) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        if (request.failure instanceof Error) span.recordException(withoutKeys(request.failure));
      }
    }
    span.end();
  }

  readonly contextOf = (): Span | undefined => this.#current.getStore();

  statementEnded({ batcher, items, sentAt, durationMs, failure }: BatchReport): void {
    const nowMs = Date.now();
    const sentMs = nowMs - durationMs;
    for (const { enqueuedAt, context } of items) {
      if (!isSpan(context)) continue;
      const attributes: Attributes = {
        'db.system.name': 'postgresql',
        'petstore.batch': batcher,
        'petstore.batch.size': items.length,
        'petstore.batch.wait_ms': sentAt - enqueuedAt,
        ...(failure !== undefined && { 'error.type': failure }),
      };
      const span = this.#tracer.startSpan(
        batcher,
        { kind: SpanKind.CLIENT, attributes, startTime: sentMs - (sentAt - enqueuedAt) },
        trace.setSpan(ROOT_CONTEXT, context),
      );
      span.addEvent('sent', sentMs);
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end(nowMs);
    }
  }

  /** Sends the remaining spans for at most a second. The exporter reports the others. */
  async close(): Promise<void> {
    await withTimeout(SHUTDOWN_MS, this.#provider.shutdown()).catch(() => undefined);
  }
}

/** By the semantic conventions for HTTP servers; attributes of our own have the prefix `petstore`. */
function attributesOf(request: FastifyRequest, reply: FastifyReply): Attributes {
  const { caller } = request.decision ?? {};
  const [path = '', query] = request.url.split('?', 2);
  return {
    'url.scheme': 'http',
    'url.path': maskKeys(path),
    ...(query !== undefined && { 'url.query': maskKeys(query) }),
    'http.response.status_code': reply.statusCode,
    'client.address': request.clientAddress ?? '',
    'network.protocol.version': request.raw.httpVersion,
    'petstore.request_id': request.id,
    ...optional('http.route', request.routeOptions.url),
    ...optional('user_agent.original', request.headers['user-agent']),
    ...optional('petstore.operation', routeConfigOf(request).operation),
    ...optional('petstore.key_id', caller?.keyId.toString()),
    ...optional('petstore.plan', caller?.planId),
    ...(reply.statusCode >= 500 && { 'error.type': String(reply.statusCode) }),
  };
}

const optional = (name: string, value: string | undefined): Attributes =>
  value === undefined ? {} : { [name]: maskKeys(value) };

const withoutKeys = ({
  name,
  message,
  stack = '',
}: Error): { name: string; message: string; stack: string } => ({
  name,
  message: maskKeys(message),
  stack: maskKeys(stack),
});

const isSpan = (context: unknown): context is Span =>
  typeof context === 'object' && context !== null && 'spanContext' in context;

const REPORT_EVERY_MS = 60_000;

const ignore = (): void => undefined;

/** Reports each message of OpenTelemetry at most once a minute: while the collector is down, every batch fails. */
function reportProblems(warn: (message: string) => void): void {
  const reportedAtMs = new Map<string, number>();
  const report = (message: string): void => {
    const nowMs = performance.now();
    if (nowMs - (reportedAtMs.get(message) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    reportedAtMs.set(message, nowMs);
    warn(`traces: ${message}`);
  };
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  setGlobalErrorHandler((error) =>
    report(typeof error === 'string' ? error : (error.message ?? error.name ?? 'failed')),
  );
}
