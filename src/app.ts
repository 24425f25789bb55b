import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import type { Config } from './config/config.js';
import type { Database, Statement } from './database/database.js';
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
import { selectPages, selectRowsById } from './database/pages.js';
import { WarmUp } from './database/warm-up.js';
import { FIND_STORED_CREATIONS } from './idempotency/idempotency.repository.js';
import { CREATE_PETS, CREATE_PETS_ONCE, PETS } from './pets/pets.sql.js';
import { READ_INVENTORY } from './store/inventory.repository.js';
import {
  CHANGE_LOCKED_ORDERS,
  CHANGE_ORDERS,
  ORDERS,
  PLACE_LOCKED_ORDERS,
  PLACE_LOCKED_ORDERS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
} from './store/orders.sql.js';
import { ADMISSION_STATEMENTS } from './throttling/admission-statement.js';
import { DAYS_OF_KEYS } from './usage/usage.repository.js';

export interface AppOptions {
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
  /** What looks on at requests, and hears of bans. */
  readonly signals: HttpObserver & { banStarted(): void };
  /** A test's clock, for everything that goes by time. */
  readonly clock?: Clock;
}

/** The whole wiring, in the order in which it acts on a request. It does not listen yet. */
export async function createApp(options: AppOptions): Promise<NestFastifyApplication> {
  const { config, database, logger, signals } = options;
  const { admission, clock, setClock } = createAdmission({
    database,
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
      database,
      publicUrl,
      clock,
      warmUp: createWarmUp(database, (message) => logger.warn(message)),
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

/** The wiring of the warm-up: all statements that requests send, each on the connections that it is sent on. */
export function createWarmUp(database: Database, warn: (message: string) => void): WarmUp {
  return new WarmUp({
    pools: [
      { pool: database.reserved, statements: ADMISSION_STATEMENTS },
      { pool: database.retries, statements: RETRIES },
      { pool: database.writes, statements: WRITES },
      // Admission of low-priority lookups runs there, too.
      { pool: database.pool, statements: [...ADMISSION_STATEMENTS, ...READS] },
    ],
    namedStatements: database.namedStatements,
    warn,
  });
}

const READS: readonly Statement[] = [
  selectPages(PETS),
  selectRowsById(PETS),
  selectPages(ORDERS),
  selectRowsById(ORDERS),
  READ_INVENTORY,
  DAYS_OF_KEYS,
  FIND_STORED_CREATIONS,
];

const WRITES: readonly Statement[] = [
  CREATE_PETS,
  CREATE_PETS_ONCE,
  PLACE_ORDERS,
  PLACE_ORDERS_ONCE,
  CHANGE_ORDERS,
];

const RETRIES: readonly Statement[] = [PLACE_LOCKED_ORDERS, PLACE_LOCKED_ORDERS_ONCE, CHANGE_LOCKED_ORDERS];
