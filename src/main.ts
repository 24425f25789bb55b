import { createApp } from './app.js';
import { createHousekeeping } from './create-housekeeping.js';
import { createSignals } from './create-signals.js';
import { loadConfig } from './config/config.js';
import { openDatabase } from './database/open-database.js';
import type { EdgeAdapter } from './http/edge/edge.js';
import { banner } from './operations/banner.js';
import { prepareFirstStart } from './operations/first-start.js';
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
    const firstStart = opened.isEmbedded ? await prepareFirstStart(opened.database) : undefined;
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
    readiness.serve(opened.database.pools);
    const { port } = app.getHttpServer().address() as { port: number };
    const dataDir = opened.isEmbedded ? config.database.dataDir : undefined;
    process.stdout.write(
      banner({
        address: `http://localhost:${port}`,
        management: `http://localhost:${management.port}`,
        dataDir,
        firstStart,
      }),
    );
  } catch (error) {
    await opened.close();
    throw error;
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
}
