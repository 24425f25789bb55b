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

async function start(): Promise<void> {
  const config = loadConfig(process.env);
  const logger = createLogger(config.logLevel);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register({ config, logger }),
    new HttpAdapter(config, logger),
    { logger: nestLogger(logger), abortOnError: false },
  );
  try {
    setUpOpenApi(app);
    await app.init();
    // Not Nest's own listen, which also logs what it rejects with.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    app.enableShutdownHooks([...SHUTDOWN_SIGNALS], { useProcessExit: true });
    await app.get(StartReport).publish();
  } catch (error) {
    await app.close();
    throw error;
  }
}

start().catch((error: unknown) => {
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
});
