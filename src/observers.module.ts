import { Global, type InjectionToken, Module, type Provider } from '@nestjs/common';
import { ADMISSION_OBSERVERS } from './auth/admission/admission-statement.js';
import { BATCH_OBSERVERS } from './batching/batching.js';
import { HTTP_OBSERVERS } from './http/observer.js';
import { Metrics } from './monitoring/telemetry/metrics.js';
import { RequestLog, TRACING } from './monitoring/telemetry/request-log.js';
import { UsageRecorder } from './usage/usage-recorder.js';

/** A list of providers of global modules. There is no tracing without a collector. */
const listOf = (observers: InjectionToken, ...tokens: readonly InjectionToken[]): Provider => ({
  provide: observers,
  inject: tokens.map((token) => (token === TRACING ? { token, optional: true } : token)),
  useFactory: (...all: readonly unknown[]) => all.filter((observer) => observer !== undefined),
});

/** The observers of bans, batches and requests, in call order. Observed code does not import its observers. */
@Global()
@Module({
  providers: [
    listOf(ADMISSION_OBSERVERS, Metrics),
    listOf(BATCH_OBSERVERS, Metrics, TRACING),
    listOf(HTTP_OBSERVERS, Metrics, TRACING, RequestLog, UsageRecorder),
  ],
  exports: [ADMISSION_OBSERVERS, BATCH_OBSERVERS, HTTP_OBSERVERS],
})
export class ObserversModule {}
