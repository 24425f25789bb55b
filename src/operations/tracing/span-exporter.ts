import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TracingOptions } from './tracing.js';

/** The collector has so long for a batch, all tries together; a batch is made every 5 s. */
const TIMEOUT_MS = 5000;

/** A collector that is away is away for a while: one line in so long tells it. */
const WARN_EVERY_MS = 60_000;

/** Sends spans to the collector, and says now and then that it cannot. */
export function spanExporter({ endpoint, warn }: TracingOptions): SpanExporter {
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
          warn(`traces cannot be sent to ${new URL(endpoint).host}: ${result.error.message}`);
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
