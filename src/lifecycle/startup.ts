import type { AddressInfo } from 'node:net';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CONFIG, LOGGER, type Logger } from '../config/config.module.js';
import { type Config, describeConfig, releaseVersion } from '../config/config.js';
import { ManagementServer } from '../monitoring/management/management-server.js';
import { Readiness } from '../monitoring/management/readiness.js';
import { Database } from '../database/database.js';
import { type FirstStart, prepareFirstStart } from './first-start.js';
import { UsageRecorder } from '../usage/usage-recorder.js';
import { banner } from './banner.js';

/** The last startup steps, after the port is bound. */
@Injectable()
export class Startup {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly database: Database,
    private readonly readiness: Readiness,
    private readonly management: ManagementServer,
    private readonly usage: UsageRecorder,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Prints the address, after a new embedded database has its samples and first key: a start that fails before must
   * not lose the only copy of a key. Until then no key exists, every request is rejected (401), and readiness reports a start.
   */
  async finish(): Promise<void> {
    if (this.database.dataDir !== undefined)
      await prepareFirstStart(this.database.url, (first) => this.#print(first));
    else this.#print();
  }

  #print(firstStart?: FirstStart): void {
    this.readiness.serve(this.database.prisma.pools);
    const settings = describeConfig(this.config);
    this.logger.info({ release: releaseVersion(), node: process.version, settings }, 'started');
    const { port } = this.host.httpAdapter.getHttpServer().address() as AddressInfo;
    const address = this.config.publicUrl || `http://localhost:${this.config.publishedPort ?? port}`;
    this.management.dashboard.serve(this.database.url, address, () => this.usage.problems());
    print(
      banner({
        address,
        management: `http://localhost:${this.management.port}`,
        hasDashboard: this.config.dashboard.isOn,
        dataDir: this.database.dataDir,
        isDefaultDataDir: this.config.database.dataDir === undefined,
        commandLine: relative('', fileURLToPath(new URL('../cli/main.js', import.meta.url))),
        firstStart,
        isTerminal: process.stdout.isTTY,
      }),
    );
  }
}

/** Prints on standard error where standard output has no reader (`npm start | head`), because a key is printed only once. */
function print(text: string): void {
  process.stdout.write(text, (error) => {
    if (error) process.stderr.write(text);
  });
}
