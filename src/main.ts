import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from './app.js';
import { createHousekeeping } from './create-housekeeping.js';
import { createSignals } from './create-signals.js';
import { loadConfig } from './config/config.js';
import { openDatabase } from './database/open-database.js';
import { WarmUp } from './database/warm-up.js';
import type { EdgeAdapter } from './http/edge/edge.js';
import { banner } from './operations/banner.js';
import { type FirstStart, prepareFirstStart } from './operations/first-start.js';
import { ManagementServer } from './operations/management/management-server.js';
import { shutDownOnSignal } from './operations/shutdown.js';
import { explainStartError } from './operations/start-error.js';
import { stopPhases } from './stop-phases.js';

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
    const app = await createApp({ config, database: opened.database, logger, signals });
    await app.init();
    // Not Nest's own listen: it logs what it rejects with, and a busy port is told in one line below.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    const housekeeping = createHousekeeping(opened.database, config.limits, logger);
    housekeeping.start();
    const edge: EdgeAdapter = app.getHttpAdapter() as EdgeAdapter;
    const parts = { app, edge, housekeeping, opened, readiness, management, tracing, flushLog };
    shutDownOnSignal({
      phases: stopPhases(parts, config),
      timeoutMs: config.drainGraceMs + config.shutdownTimeoutMs,
      warn: (message) => logger.warn(message),
      exit: (code) => process.exit(code),
    });
    const { port } = app.getHttpServer().address() as { port: number };
    const serve = (firstStart?: FirstStart): void => {
      void app.get(WarmUp).done.then(() => readiness.serve(opened.database.pools));
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
