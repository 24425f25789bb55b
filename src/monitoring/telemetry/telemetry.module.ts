import { Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { CONFIG, LOGGER } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { releaseVersion } from '../../config/version.js';
import { RequestLog } from './request-log.js';
import { Telemetry } from './telemetry.js';
import type { Tracing } from './tracing.js';

/** Injects the `Tracing`, undefined without a collector. */
const TRACING = Symbol('TRACING');

/** Log lines, metrics and traces of all requests, and the registry to which others add metrics of their own. */
@Global()
@Module({
  providers: [
    { provide: TRACING, inject: [CONFIG, LOGGER], useFactory: createTracing },
    RequestLog,
    {
      provide: Telemetry,
      inject: [RequestLog, { token: TRACING, optional: true }],
      useFactory: (log: RequestLog, tracing?: Tracing) => new Telemetry(log, tracing),
    },
    { provide: Registry, inject: [Telemetry], useFactory: ({ registry }: Telemetry) => registry },
  ],
  exports: [Telemetry, Registry],
})
export class TelemetryModule {}

async function createTracing({ tracing }: Config, logger: Logger): Promise<Tracing | undefined> {
  if (!tracing) return undefined;
  // Loaded only here: OpenTelemetry takes time and memory.
  const { Tracing } = await import('./tracing.js');
  return new Tracing(releaseVersion(), (message) => logger.warn(message));
}
