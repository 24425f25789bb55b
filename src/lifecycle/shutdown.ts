import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Logger } from 'pino';
import { Batching } from '../batching/batching.js';
import { CONFIG, LOGGER } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { WarmUp } from '../database/warm-up.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { ManagementServer } from '../management/management-server.js';
import { Readiness } from '../management/readiness.js';
import { Database } from '../prisma/database.js';
import { Telemetry } from '../telemetry/telemetry.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { Housekeeping } from './housekeeping.js';

/** The signals that end the service: of supervisors, of Ctrl-C, and of a terminal that is closed. */
export const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A second signal within this time belongs to the first: npm passes on the Ctrl-C that the terminal sent already. */
const SAME_SIGNAL_MS = 500;

/**
 * How long open connections have to receive "Connection: close" with a response. A client that sends requests all the time has sent
 * one within milliseconds.
 */
const DRAIN_MS = 500;

/** All steps of a stop, in their order. Between the two methods Nest closes the server. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly readiness: Readiness,
    private readonly warmUp: WarmUp,
    private readonly housekeeping: Housekeeping,
    private readonly usage: UsageRecorder,
    private readonly batching: Batching,
    private readonly telemetry: Telemetry,
    private readonly database: Database,
    private readonly management: ManagementServer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Reports not ready, serves requests until balancers have noticed, and ends connections by their next response. `app.close()` sends
   * no signal and waits for nothing.
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal === undefined) return;
    const { drainGraceMs, shutdownTimeoutMs } = this.config;
    this.logger.info(`received ${signal}; stopping`);
    this.readiness.drain();
    this.#exitAfter(drainGraceMs + shutdownTimeoutMs);
    this.#exitOnSecondSignal();
    await delay(drainGraceMs);
    await this.host.httpAdapter.drain(DRAIN_MS);
  }

  /** What works ends before what it works with. */
  async onApplicationShutdown(signal?: string): Promise<void> {
    this.readiness.drain();
    this.warmUp.close();
    await this.housekeeping.close();
    await this.usage.close();
    await this.batching.close();
    await this.telemetry.close();
    await this.management.dashboard.close();
    await this.database.close();
    await this.management.close();
    if (signal !== undefined) this.logger.info('stopped');
  }

  #exitAfter(timeoutMs: number): void {
    setTimeout(() => {
      this.logger.warn(`the stop took longer than ${timeoutMs} ms; exiting with requests in flight`);
      process.exit(1);
    }, timeoutMs).unref();
  }

  /** Nest ignores further signals. */
  #exitOnSecondSignal(): void {
    const beganAtMs = performance.now();
    for (const signal of SHUTDOWN_SIGNALS) {
      process.on(signal, () => {
        if (performance.now() - beganAtMs <= SAME_SIGNAL_MS) return;
        this.logger.warn(`received ${signal} again; exiting at once`);
        process.exit(1);
      });
    }
  }
}
