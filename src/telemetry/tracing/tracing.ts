import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BatchObserver } from '../../batching/batching.js';
import type { TracingOptions } from './otlp-tracing.js';

/** What makes spans of requests and of the statements that they wait for. */
export interface Tracing extends Pick<BatchObserver, 'contextOf' | 'statementEnded'> {
  begun(request: FastifyRequest): void;
  traceIdOf(request: FastifyRequest): string | undefined;
  answered(request: FastifyRequest, reply: FastifyReply): void;
  /** Sends what is left, as far as it can be sent. */
  close(): Promise<void>;
}

/** OpenTelemetry's SDK is loaded here, and only when somebody wants traces: it takes time to load and memory to hold. */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(options);
}
