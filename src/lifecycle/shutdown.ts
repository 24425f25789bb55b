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
import { within } from '../database/within.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { ManagementServer } from '../monitoring/management/management-server.js';
import { Readiness } from '../monitoring/management/readiness.js';
import { Database } from '../database/database.js';
import { TRACING } from '../monitoring/telemetry/request-log.js';
import type { Tracing } from '../monitoring/telemetry/tracing.js';
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

/** The longest time of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** All steps of a stop, in their order. Between the two methods Nest closes the server. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  /** `app.close()` waits for as long as it takes. */
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
   * Reports not ready, serves requests until balancers have noticed, and ends connections by their next response. `app.close()` sends
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

  /** What works ends before what it works with. */
  async onApplicationShutdown(signal?: string): Promise<void> {
    this.readiness.drain();
    this.warmUp.close();
    // Their requests have got a response. What is written from now on needs their connections.
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

  /** A step that does not end leaves half of the time to those after it. */
  async #end(what: string, step: { close(): Promise<void> }): Promise<void> {
    const leftMs = Math.min(Math.max(0, this.#endsAt - performance.now()), TIMER_MAX_MS);
    let isLate = true;
    const closed = step.close().finally(() => (isLate = false));
    await within(leftMs / 2, closed).catch((error: unknown) => {
      if (!isLate) throw error;
      this.logger.warn(`the stop waited for ${what} in vain`);
    });
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
