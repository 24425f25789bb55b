import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import { runHandlersDirectly } from './http/handlers/direct-handlers.js';
import {
  type ClientAddressOf,
  createClientAddressOf,
  createIsTrustedPeer,
  createUntrustedProxyWarning,
} from './http/client-address.js';
import { Cors } from './http/cors.js';
import { type Clock, PublicUrl } from './http/http.module.js';
import { HttpAdapter } from './http/server/http-adapter.js';
import type { HttpObserver } from './http/observer.js';
import { nestLogger } from './operations/logging/logger.js';
import { createAdmission } from './throttling/create-admission.js';
import type { PrismaService } from './prisma/prisma.service.js';

export interface AppOptions {
  readonly config: Config;
  readonly prisma: PrismaService;
  readonly logger: Logger;
  /** What looks on at requests, and hears of bans. */
  readonly signals: HttpObserver & { banStarted(): void };
  /** A test's clock, for everything that goes by time. */
  readonly clock?: Clock;
}

/** The whole wiring, in the order in which it acts on a request. It does not listen yet. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { config, prisma, logger, signals } = options;
  const { admission, clock, setClock } = createAdmission({
    connections: prisma.connections,
    limits: config.limits,
    warn: (message) => logger.warn(message),
    onBanStarted: () => signals.banStarted(),
    ...(options.clock && { clock: options.clock }),
  });
  await setClock();
  const publicUrl = new PublicUrl(config.publicUrl);
  const edge = new HttpAdapter({
    admission,
    clientAddressOf: clientAddressOf(config, logger),
    clock,
    publicUrl,
    cors: new Cors(config.corsOrigins),
    bodyBytesMax: config.bodyBytesMax,
    requestTimeoutMs: config.requestTimeoutMs,
    keepAliveTimeoutMs: config.keepAliveTimeoutMs,
    connections: { ...config.connections, isTrustedPeer: createIsTrustedPeer(config.trustProxy) },
    logger,
    observer: signals,
  });
  await runHandlersDirectly();
  return await NestFactory.create<NestFastifyApplication>(
    AppModule.register({
      prisma,
      publicUrl,
      clock,
      warn: (message) => logger.warn(message),
    }),
    edge,
    { bodyParser: false, logger: nestLogger(logger), abortOnError: false },
  );
}

/** A proxy in front that nobody told the service of makes all clients one address: the first such request says so. */
function clientAddressOf({ trustProxy }: Config, logger: Logger): ClientAddressOf {
  const addressOf = createClientAddressOf(trustProxy);
  if (trustProxy !== undefined) return addressOf;
  const observe = createUntrustedProxyWarning((message) => logger.warn(message));
  return (remoteAddress, headers = {}) => {
    observe(headers);
    return addressOf(remoteAddress, headers);
  };
}
