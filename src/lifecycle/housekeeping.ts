import { randomInt } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { Counter, Registry } from 'prom-client';
import { CONFIG, LOGGER, type Logger } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';

/** Once an hour, at a random minute and second, so that replicas do not run together. */
const HOURLY = `${randomInt(60)} ${randomInt(60)} * * * *`;

/** Skip a run more than a minute late: the process was suspended. */
const LATE_MS = 60_000;

const DAY_MS = 86_400_000;

/** Rows per statement, so that none runs or holds locks for long. */
const CHUNK = 500;

/** Deletes old days and hours of usage, old bans and outages, and expired idempotency keys, once an hour. Replicas may run it concurrently. */
@Injectable()
export class Housekeeping {
  readonly #failures: Counter;
  #isStopping = false;
  #run: Promise<void> = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    @Inject(CONFIG) private readonly config: Pick<Config, 'limits'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    registry: Registry,
  ) {
    this.#failures = new Counter({
      name: 'petstore_housekeeping_failures_total',
      help: 'Hourly runs that failed to delete old usage rows and expired idempotency keys.',
      registers: [registry],
    });
  }

  /** Never rejects: a failure is logged and counted, and the next run tries again. */
  @Cron(HOURLY, { waitForCompletion: true, threshold: LATE_MS })
  run(): Promise<void> {
    this.#run = this.#deleteExpired();
    return this.#run;
  }

  /** Resolves when the current chunk is deleted. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await this.#run;
  }

  async #deleteExpired(): Promise<void> {
    const { pools, idempotencyKey } = this.prisma;
    const { usageRetentionDays, usageHoursRetentionDays } = this.config.limits;
    try {
      // The replica's clock may be wrong.
      const [{ now }] = await pools.reads.run(() => this.prisma.$queryRaw<[{ now: Date }]>`select now()`);
      await this.#inChunks(() =>
        idempotencyKey.deleteMany({ where: { expiresAt: { lte: now } }, limit: CHUNK }),
      );
      await this.#deleteBy('delete_old_usage', usageRetentionDays);
      await this.#deleteHours(now, usageHoursRetentionDays);
      await this.#deleteBy('delete_old_address_usage', usageHoursRetentionDays);
      await this.#deleteBy('delete_old_bans', usageRetentionDays);
      await this.#deleteBy('delete_old_database_outages', usageRetentionDays);
    } catch (err) {
      this.#failures.inc();
      this.logger.warn({ err }, 'deleting old rows failed; the next run tries again');
    }
  }

  /** Calls a database function: the service's role may not delete these rows. */
  #deleteBy(name: string, days: number): Promise<void> {
    return this.#inChunks(async () => {
      const sql = `select ${name}($1::int, $2::int) as count`;
      const [counted] = await this.prisma.$queryRawUnsafe<[{ count: number }]>(sql, days, CHUNK);
      return counted;
    });
  }

  /** One at a time, oldest first: each search starts after the hours that are already deleted. */
  async #deleteHours(now: Date, days: number): Promise<void> {
    const end = new Date(now.getTime() - days * DAY_MS);
    let done = new Date(0);
    while (!this.#isStopping) {
      const { _min: oldest } = await this.prisma.pools.reads.run(() =>
        this.prisma.apiKeyUsageHours.aggregate({
          _min: { hour: true },
          where: { hour: { gt: done, lt: end } },
        }),
      );
      const { hour } = oldest;
      if (hour === null) return;
      await this.#inChunks(async () => {
        const [counted] = await this.prisma.$queryRaw<[{ count: number }]>`
          select delete_usage_hour(${hour}::timestamptz, ${days}::int, ${CHUNK}::int) as count`;
        return counted;
      });
      done = hour;
    }
  }

  async #inChunks(deleteChunk: () => Promise<{ readonly count: number }>): Promise<void> {
    while (!this.#isStopping) {
      const { count } = await this.prisma.pools.writes.run(deleteChunk);
      // A partial chunk is not the last: another replica may have deleted some of its rows.
      if (count === 0) return;
    }
  }
}
