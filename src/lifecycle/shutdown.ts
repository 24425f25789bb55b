import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Logger } from 'pino';
import { CONFIG, LOGGER } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { HttpAdapter } from '../http/http-adapter.js';
import { Readiness } from '../management/readiness.js';

/** The signals that end the service: of supervisors, of Ctrl-C, and of a terminal that is closed. */
export const SHUTDOWN_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A second signal within this time belongs to the first: npm passes on the Ctrl-C that the terminal sent already. */
const SAME_SIGNAL_MS = 500;

/**
 * How long open connections have to receive "Connection: close" with a response. A client that sends requests all the time has sent
 * one within milliseconds.
 */
const DRAIN_MS = 500;

/** Prepares the stop on a signal. Then Nest closes the server, and the providers close what they opened. */
@Injectable()
export class Shutdown implements BeforeApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly readiness: Readiness,
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
    this.readiness.drain();
    this.#exitAfter(drainGraceMs + shutdownTimeoutMs);
    this.#exitOnSecondSignal();
    await delay(drainGraceMs);
    await this.host.httpAdapter.drain(DRAIN_MS);
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
