import { setTimeout as delay } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Batching } from '../batching/batching.js';
import { CONFIG, LOGGER, type Logger } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { WarmUp } from '../database/warm-up.js';
import { withTimeout } from '../database/with-timeout.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { ManagementServer } from '../monitoring/management/management-server.js';
import { Readiness } from '../monitoring/management/readiness.js';
import { Database } from '../database/database.js';
import { TRACING } from '../monitoring/telemetry/request-log.js';
import type { Tracing } from '../monitoring/telemetry/tracing.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { Housekeeping } from './housekeeping.js';

/** The signals that stop the service: from supervisors, Ctrl-C and a closed terminal. */
export const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A second signal within this time is a duplicate: npm forwards the Ctrl-C that the terminal also sends. */
const SAME_SIGNAL_MS = 500;

/**
 * How long open connections have to receive "Connection: close" with a response. A busy client sends a request
 * within milliseconds.
 */
const DRAIN_MS = 500;

/** The longest timer delay. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The steps of a shutdown, in order. Between the two methods Nest closes the server. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** `app.close()` has no time limit. */
  #endsAt = Infinity;

  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly readiness: Readiness,
    private readonly warmUp: WarmUp,
    private readonly housekeeping: Housekeeping,
    private readonly usage: UsageRecorder,
    private readonly batching: Batching,
    private readonly database: Database,
    private readonly management: ManagementServer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Optional() @Inject(TRACING) private readonly tracing?: Tracing,
  ) {}

  /**
   * Reports not ready, serves until load balancers notice, then closes connections with their next response. `app.close()` sends
   * no signal and waits for nothing.
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal === undefined) return;
    const { drainGraceMs, shutdownTimeoutMs } = this.config;
    this.logger.info(`received ${signal}; stopping`);
    this.readiness.drain();
    this.#endsAt = performance.now() + drainGraceMs + shutdownTimeoutMs;
    this.#exitAfter(drainGraceMs + shutdownTimeoutMs);
    this.#exitOnSecondSignal();
    await delay(drainGraceMs);
    await this.host.httpAdapter.drain(DRAIN_MS);
  }

  /** Closes dependents before dependencies. */
  async onApplicationShutdown(signal?: string): Promise<void> {
    this.readiness.drain();
    this.warmUp.close();
    // Their requests already have a response. Later writes need their connections.
    this.database.prisma.pools.giveUpStalled();
    await this.#end('old rows to be deleted', this.housekeeping);
    await this.#end('the usage by hour', this.usage);
    await this.#end('requests', this.batching);
    if (this.tracing !== undefined) await this.#end('traces', this.tracing);
    await this.#end('the dashboard', this.management.dashboard);
    await this.#end('the database', this.database);
    await this.#end('the management port', this.management);
    if (signal !== undefined) this.logger.info('stopped');
  }

  /** Each step may use half of the remaining time. */
  async #end(what: string, step: { close(): Promise<void> }): Promise<void> {
    const leftMs = Math.min(Math.max(0, this.#endsAt - performance.now()), TIMER_MAX_MS);
    let isLate = true;
    const closed = step.close().finally(() => (isLate = false));
    await withTimeout(leftMs / 2, closed).catch((error: unknown) => {
      if (!isLate) throw error;
      this.logger.warn(`gave up waiting for ${what}`);
    });
  }

  #exitAfter(timeoutMs: number): void {
    setTimeout(() => {
      this.logger.warn(`shutdown took longer than ${timeoutMs} ms; exiting with requests in flight`);
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
