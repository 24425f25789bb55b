import { createApp } from './app.js';
import { createHousekeeping } from './create-housekeeping.js';
import { loadConfig } from './config/config.js';
import { openDatabase } from './database/open-database.js';
import { banner } from './operations/banner.js';
import { prepareFirstStart } from './operations/first-start.js';
import { createLogger } from './operations/logger.js';
import { shutDownOnSignal } from './operations/shutdown.js';
import { explainStartError } from './operations/start-error.js';

try {
  const config = loadConfig(process.env);
  const logger = createLogger(config.logLevel);
  const opened = await openDatabase({
    config: config.database,
    purpose: 'service',
    migrates: true,
    log: logger,
  });
  try {
    const firstStart = opened.isEmbedded ? await prepareFirstStart(opened.database) : undefined;
    const app = await createApp({ config, database: opened.database, logger });
    await app.init();
    // Not Nest's own listen: it logs what it rejects with, and a busy port is told in one line below.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    const housekeeping = createHousekeeping(opened.database, config.limits, logger);
    housekeeping.start();
    shutDownOnSignal({
      steps: [() => app.close(), () => housekeeping.stop(), () => opened.close()],
      timeoutMs: config.shutdownTimeoutMs,
      warn: (message) => logger.warn(message),
      exit: (code) => process.exit(code),
    });
    const { port } = app.getHttpServer().address() as { port: number };
    const dataDir = opened.isEmbedded ? config.database.dataDir : undefined;
    process.stdout.write(banner({ address: `http://localhost:${port}`, dataDir, firstStart }));
  } catch (error) {
    await opened.close();
    throw error;
  }
} catch (error) {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
}
