import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Logger } from 'pino';
import { Batching } from '../batching/batching.js';
import { CONFIG, LOGGER } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { ManagementServer } from '../management/management-server.js';
import { Readiness } from '../management/readiness.js';
import { Database } from '../prisma/database.js';
import { WarmUp } from '../prisma/warm-up.js';
import { TRACING } from '../telemetry/telemetry.module.js';
import type { Tracing } from '../telemetry/tracing.js';
import { Housekeeping } from './housekeeping.js';
import { type Phase, runPhases } from './phases.js';

/** The signals that end the service. */
export const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** A second signal within this time belongs to the first: npm passes on the Ctrl-C that the terminal sent already. */
const SAME_SIGNAL_MS = 500;

/**
 * How long open connections have to receive "Connection: close" with a response. A client that sends requests all the time has sent
 * one within milliseconds; one that has not for this long is as likely to send one now as in a minute.
 */
const DRAIN_MS = 500;

/** Requests may take most of the time that a shutdown may take; what comes after them is short. */
const REQUESTS_SHARE = 0.7;

/** A run is a few statements of a millisecond each. */
const HOUSEKEEPING_MS = 2000;

/** No item waits longer than 950 ms for a statement. */
const BATCHES_MS = 2000;

/** What is left to send. A collector that is away neither delays a shutdown nor makes it a failure. */
const TRACES_MS = 1000;

const MANAGEMENT_MS = 1000;

/**
 * The shutdown, in one order: providers have no shutdown hooks of their own, because Nest calls those of `OnModuleDestroy` while the
 * server still has requests.
 */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly warmUp: WarmUp,
    private readonly housekeeping: Housekeeping,
    private readonly batching: Batching,
    private readonly database: Database,
    private readonly readiness: Readiness,
    private readonly management: ManagementServer,
    @Inject(TRACING) private readonly tracing: Tracing | undefined,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Called when the application closes: by `app.close()`, or on a signal, which also gives balancers and clients the time to notice. On
   * a signal the exit code is 1 when a phase failed or took too long, when all of them did, or when a second signal came.
   */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    const warn = (message: string): void => this.logger.warn(message);
    if (signal === undefined) {
      await runPhases(this.#closing, warn);
      return;
    }
    this.#endOnSecondSignal();
    const timeoutMs = this.config.drainGraceMs + this.config.shutdownTimeoutMs;
    setTimeout(() => {
      warn(`the stop took longer than ${timeoutMs} ms; exiting with requests in flight`);
      process.exit(1);
    }, timeoutMs).unref();
    const isComplete = await runPhases([...this.#draining, ...this.#closing], warn);
    // Else Nest ends the process, with the exit code 0.
    if (!isComplete) process.exit(1);
  }

  get #draining(): Phase[] {
    const { drainGraceMs } = this.config;
    return [
      {
        // The balancer sees it at its next probe, and until then everything is served as ever.
        name: 'grace',
        boundMs: drainGraceMs + 1000,
        run: () => {
          this.readiness.drain();
          return delay(drainGraceMs);
        },
      },
      {
        // Each response closes its connection, so that no client sends a request into one that is being closed.
        name: 'drain',
        boundMs: DRAIN_MS + 1000,
        run: () => this.host.httpAdapter.drain(DRAIN_MS),
      },
    ];
  }

  get #closing(): Phase[] {
    const { shutdownTimeoutMs } = this.config;
    const { httpAdapter } = this.host;
    return [
      {
        name: 'requests',
        boundMs: shutdownTimeoutMs * REQUESTS_SHARE,
        run: () => httpAdapter.close(),
        giveUp: () => httpAdapter.getHttpServer().closeAllConnections(),
      },
      {
        name: 'housekeeping',
        boundMs: HOUSEKEEPING_MS,
        run: () => {
          this.warmUp.stop();
          return this.housekeeping.stop();
        },
      },
      // A request whose client has left may still wait for its statement.
      { name: 'batches', boundMs: BATCHES_MS, run: () => this.batching.close() },
      // The embedded server writes a checkpoint, which takes what it takes: the limit of the whole stop is its bound.
      { name: 'database', boundMs: shutdownTimeoutMs, run: () => this.database.close() },
      {
        name: 'traces',
        boundMs: TRACES_MS + 1000,
        run: () => Promise.race([this.tracing?.close(), delay(TRACES_MS, undefined, { ref: false })]),
      },
      { name: 'management', boundMs: MANAGEMENT_MS, run: () => this.management.close() },
    ];
  }

  #endOnSecondSignal(): void {
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
