import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { loadConfig } from './config/config.js';
import { HttpAdapter } from './http/http-adapter.js';
import { SHUTDOWN_SIGNALS } from './lifecycle/shutdown.js';
import { explainStartError } from './lifecycle/start-error.js';
import { Startup } from './lifecycle/startup.js';
import { setUpOpenApi } from './openapi/create-document.js';
import { createLogger, nestLogger, openStandardError } from './monitoring/telemetry/logger.js';
import { forPeople } from './monitoring/telemetry/terminal-log.js';
import type { Logger } from './config/config.module.js';

async function start(interrupted: AbortSignal): Promise<void> {
  const config = loadConfig(process.env);
  const isText = (config.logFormat ?? (process.stderr.isTTY ? 'text' : 'json')) === 'text';
  const destination = isText ? await forPeople(openStandardError(0)) : openStandardError();
  const logger = createLogger(config.logLevel, destination);
  warnOfMemory(logger);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register({ config, logger, interrupted }),
    new HttpAdapter(config, logger),
    { logger: nestLogger(logger), abortOnError: false },
  );
  try {
    setUpOpenApi(app);
    await app.init();
    // Not Nest's own listen, which also logs its error.
    await app.getHttpAdapter().getInstance().listen({ port: config.port, host: config.host });
    await app.get(Startup).finish();
    interrupted.throwIfAborted();
    app.enableShutdownHooks([...SHUTDOWN_SIGNALS], { useProcessExit: true });
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** At 300 requests a second it needs 150 MB; with 144 it is killed. */
const MEMORY_MIN = 192 * 2 ** 20;

/** Without this, an out-of-memory kill leaves no explanation. */
function warnOfMemory(logger: Logger): void {
  // 0 or an impossibly large number: no limit is set.
  const bytes = process.constrainedMemory();
  if (bytes === 0 || bytes >= MEMORY_MIN) return;
  logger.warn(
    `this container is limited to ${Math.floor(bytes / 2 ** 20)} MB of memory, and is killed above that: set at least 192 MB`,
  );
}

// A closed output pipe must not end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const interruption = new AbortController();
// Registered before anything starts that could outlive this process. Once it runs, Nest handles the signals.
for (const signal of SHUTDOWN_SIGNALS) process.on(signal, () => interruption.abort());

start(interruption.signal).catch((error: unknown) => {
  if (error === interruption.signal.reason) process.exit(0);
  process.stderr.write(`${explainStartError(error)}\n`);
  process.exit(1);
});
