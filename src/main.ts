import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { createApp } from './app.js';
import { type Config, type LimitsConfig, loadConfig } from './config/config.js';
import { observeGroups } from './batching/groups.js';
import { openDatabase } from './prisma/open-database.js';
import { WarmUp } from './prisma/warm-up.js';
import type { HttpAdapter } from './http/server/http-adapter.js';
import { deleteExpiredAnswers } from './idempotency/idempotency.repository.js';
import { banner } from './operations/banner.js';
import { Housekeeping } from './operations/housekeeping.js';
import { LogDestination } from './operations/logging/log-destination.js';
import { createLogger } from './operations/logging/logger.js';
import { RequestLog } from './operations/logging/request-log.js';
import { ManagementServer } from './operations/management/management-server.js';
import { Readiness } from './operations/management/readiness.js';
import { registerPoolMetrics, registerProcessMetrics } from './operations/metrics/process-metrics.js';
import { shutDownOnSignal } from './operations/shutdown.js';
import { Signals } from './operations/signals.js';
import { explainStartError } from './operations/start-error.js';
import { startTracing, type Tracing } from './operations/tracing/tracing.js';
import { type FirstStart, prepareFirstStart } from './samples/first-start.js';
import { stopPhases } from './stop-phases.js';
import { deleteExpiredUsage } from './throttling/usage-retention.js';
import type { PrismaService } from './prisma/prisma.service.js';
import { releaseVersion } from './version.js';

/** Rows that one statement deletes: about a millisecond of work, so that nobody notices. */
const USAGE_BATCH = 1000;
const IDEMPOTENCY_BATCH = 100;

/** What is deleted by its age while the service runs: old days of use, and expired idempotency keys. */
function createHousekeeping(prisma: PrismaService, limits: LimitsConfig, logger: Logger): Housekeeping {
  return new Housekeeping({
    work: async (signal) => {
      const retentionDays = limits.usageRetentionDays;
      await deleteExpiredUsage(prisma.connections.writes, { retentionDays, batchSize: USAGE_BATCH, signal });
      let deleted = IDEMPOTENCY_BATCH;
      while (!signal.aborted && deleted === IDEMPOTENCY_BATCH) {
        deleted = await deleteExpiredAnswers(prisma, IDEMPOTENCY_BATCH);
      }
    },
    onError: (err) => logger.warn({ err }, 'old rows could not be deleted; the next run tries again'),
    random: Math.random,
  });
}

interface ProcessSignals {
  readonly logger: Logger;
  readonly flushLog: () => Promise<void>;
  readonly readiness: Readiness;
  readonly signals: Signals;
  readonly tracing: Tracing | undefined;
}

/** Standard error: standard output belongs to what a command prints. */
const STDERR = 2;

/** The wiring of all that this process tells of itself: log, readiness, metrics and, where wanted, traces. */
async function createSignals(config: Config): Promise<ProcessSignals> {
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

try {
  const config = loadConfig(process.env);
  const { logger, flushLog, readiness, signals, tracing } = await createSignals(config);
  // Before everything that takes time: a supervisor that gets no answer would end a start that migrates.
  const management = new ManagementServer({ readiness, registry: signals.registry });
  await management.listen(config.managementPort, config.managementHost);
  const opened = await openDatabase({
    config: config.database,
    purpose: 'service',
    migrates: true,
    log: logger,
  });
  try {
    const app = await createApp({ config, prisma: opened.prisma, logger, signals });
    await app.init();
    // Not Nest's own listen: it logs what it rejects with, and a busy port is told in one line below.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    const housekeeping = createHousekeeping(opened.prisma, config.limits, logger);
    housekeeping.start();
    const edge: HttpAdapter = app.getHttpAdapter() as HttpAdapter;
    const parts = { app, edge, housekeeping, opened, readiness, management, tracing, flushLog };
    shutDownOnSignal({
      phases: stopPhases(parts, config),
      timeoutMs: config.drainGraceMs + config.shutdownTimeoutMs,
      warn: (message) => logger.warn(message),
      exit: (code) => process.exit(code),
    });
    const { port } = app.getHttpServer().address() as { port: number };
    const serve = (firstStart?: FirstStart): void => {
      void app.get(WarmUp).done.then(() => readiness.serve(opened.prisma.connections.all));
      process.stdout.write(
        banner({
          address: `http://localhost:${port}`,
          management: `http://localhost:${management.port}`,
          dataDir: opened.isEmbedded ? config.database.dataDir : undefined,
          commandLine: relative('', fileURLToPath(new URL('./cli/main.js', import.meta.url))),
          firstStart,
        }),
      );
    };
    // After the port is bound: a start that fails must not take the only copy of a key along. Until then no key exists, so
    // that each request is rejected (401), and readiness reports that the replica is starting.
    if (opened.isEmbedded) await prepareFirstStart(opened.url, serve);
    else serve();
  } catch (error) {
    await opened.close();
    throw error;
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
}
