import type { Logger } from 'pino';
import type { Config } from './config/config.js';
import { observeGroups } from './database/group-watch.js';
import { LogDestination } from './operations/logging/log-destination.js';
import { createLogger } from './operations/logging/logger.js';
import { RequestLog } from './operations/logging/request-log.js';
import { Readiness } from './operations/management/readiness.js';
import { registerPoolMetrics, registerProcessMetrics } from './operations/metrics/process-metrics.js';
import { Signals } from './operations/signals.js';
import { startTracing, type Tracing } from './operations/tracing/tracing.js';
import { releaseVersion } from './version.js';

export interface ProcessSignals {
  readonly logger: Logger;
  readonly flushLog: () => Promise<void>;
  readonly readiness: Readiness;
  readonly signals: Signals;
  readonly tracing: Tracing | undefined;
}

/** Standard error: standard output belongs to what a command prints. */
const STDERR = 2;

/** The wiring of all that this process tells of itself: log, readiness, metrics and, where wanted, traces. */
export async function createSignals(config: Config): Promise<ProcessSignals> {
  const destination = new LogDestination({ fd: STDERR });
  process.on('exit', () => destination.flushSync());
  const logger = createLogger(config.logLevel, destination);
  const version = releaseVersion();
  const tracing =
    config.tracing && (await startTracing({ ...config.tracing, version, warn: (text) => logger.warn(text) }));
  const log = new RequestLog((line) => destination.write(line), config.logRequests, logger);
  const signals = new Signals(log, tracing);
  const readiness = new Readiness();
  registerPoolMetrics(signals.registry, () => readiness.pools);
  registerProcessMetrics(signals.registry, readiness, version);
  observeGroups(signals);
  return { logger, flushLog: () => destination.flush(), readiness, signals, tracing };
}
