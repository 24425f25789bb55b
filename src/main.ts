import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/config.js';
import { HttpAdapter } from './http/http-adapter.js';
import { SHUTDOWN_SIGNALS } from './lifecycle/shutdown.js';
import { explainStartError } from './lifecycle/start-error.js';
import { StartReport } from './lifecycle/start-report.js';
import { setUpOpenApi } from './openapi/set-up.js';
import { createLogger, nestLogger } from './telemetry/logger.js';

async function start(interrupted: AbortSignal): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register({ config, logger, interrupted }),
    new HttpAdapter(config, logger),
    { logger: nestLogger(logger), abortOnError: false },
  );
  try {
    setUpOpenApi(app);
    await app.init();
    // Not Nest's own listen, which also logs what it rejects with.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    await app.get(StartReport).publish();
    interrupted.throwIfAborted();
    app.enableShutdownHooks([...SHUTDOWN_SIGNALS], { useProcessExit: true });
  } catch (error) {
    await app.close();
    throw error;
  }
}

const interruption = new AbortController();
// Before anything is started that would outlive this process. When the service runs, Nest handles the signals.
for (const signal of SHUTDOWN_SIGNALS) process.on(signal, () => interruption.abort());

start(interruption.signal).catch((error: unknown) => {
  if (error === interruption.signal.reason) process.exit(0);
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
});
