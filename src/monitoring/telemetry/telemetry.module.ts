import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { CONFIG, LOGGER, type Logger } from '../../config/config.module.js';
import { type Config, releaseVersion } from '../../config/config.js';
import { Metrics } from './metrics.js';
import { RequestLog, TRACING } from './request-log.js';
import type { Tracing } from './tracing.js';

/** Log lines, metrics and traces of all requests, and the registry to which others add metrics of their own. */
@Global()
@Module({
  providers: [
    { provide: TRACING, inject: [CONFIG, LOGGER], useFactory: createTracing },
    Metrics,
    { provide: Registry, inject: [Metrics], useFactory: ({ registry }: Metrics) => registry },
    RequestLog,
  ],
  exports: [TRACING, Registry, Metrics, RequestLog],
})
export class TelemetryModule {}

async function createTracing({ tracing }: Config, logger: Logger): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  // Loaded only here: OpenTelemetry takes time and memory.
  const { Tracing } = await import('./tracing.js');
  return new Tracing(releaseVersion(), (message) => logger.warn(message));
}
