import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BatchReport } from '../../batching/batcher.js';
import { routeConfigOf } from '../../common/route.decorators.js';
import { maskKeys } from '../../common/mask-keys.js';
import { parseTraceParent } from './traceparent.js';

export interface TracingOptions {
  /** The collector's address, to which `/v1/traces` is added. */
  readonly endpoint: string;
  /** The part of the traces that begin here and are kept, 0 to 1. Of the others their beginning has decided. */
  readonly ratio: number;
  readonly serviceName: string;
  readonly version: string;
  readonly warn: (message: string) => void;
}

/** A span of each request, with one below it for each question that the request asked the database. */
export class OtlpTracing {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #spans = new WeakMap<FastifyRequest, Span>();
  /** The request that the present code runs for. Questions keep it, as their statement is sent for many at once. */
  readonly #current = new AsyncLocalStorage<Span | undefined>();

  constructor(options: TracingOptions) {
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': options.serviceName,
        'service.version': options.version,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
      // A bounded queue, sent in the background: what does not fit is dropped, and nobody waits.
      spanProcessors: [new BatchSpanProcessor(spanExporter(options))],
    });
    this.#tracer = this.#provider.getTracer('petstore', options.version);
  }

  begun(request: FastifyRequest): void {
    const { method } = request;
    const span = this.#tracer.startSpan(
      method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } },
      contextOf(request),
    );
    this.#spans.set(request, span);
    // Always, because the next request of a connection begins where the one before did.
    this.#current.enterWith(span.isRecording() ? span : undefined);
  }

  traceIdOf(request: FastifyRequest): string | undefined {
    return this.#spans.get(request)?.spanContext().traceId;
  }

  answered(request: FastifyRequest, reply: FastifyReply): void {
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

  async close(): Promise<void> {
    // What could not be sent was told by the exporter already.
    await this.#provider.shutdown().catch(() => undefined);
  }
}

function contextOf({ headers }: FastifyRequest): Context {
  const parent = parseTraceParent(headers['traceparent']);
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
}

/** By the semantic conventions for HTTP servers; what is ours alone has the prefix `petstore`. */
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

/** The collector has so long for a batch, all tries together; a batch is made every 5 s. */
const TIMEOUT_MS = 5000;

/** A collector that is away is away for a while: one line in so long tells it. */
const WARN_EVERY_MS = 60_000;

/** Sends spans to the collector, and says now and then that it cannot. */
function spanExporter({ endpoint, warn }: TracingOptions): SpanExporter {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: TIMEOUT_MS,
  });
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const nowMs = performance.now();
        if (result.error !== undefined && nowMs - warnedAtMs > WARN_EVERY_MS) {
          warnedAtMs = nowMs;
          warn(`cannot send traces to ${new URL(endpoint).host}: ${result.error.message}`);
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
