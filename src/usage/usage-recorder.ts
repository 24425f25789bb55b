import { Inject, Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import { classifyDatabaseError, isDataError, UnavailableError } from '../errors/database-errors.js';
import { routeConfigOf } from '../auth/route-config.js';
import { LOGGER, type Logger } from '../config/config.module.js';
import { plainArray, statement } from '../database/statement.js';
import type { HttpObserver } from '../http/observer.js';
import { PrismaService } from '../database/prisma.service.js';
import { Clock } from '../auth/admission/clock.js';
import {
  type AdmissionDecision,
  type AdmissionState,
  type LimitWindow,
  windowOf,
} from '../auth/admission/decision.js';
import { HOUR_MS, type HourCount, HourCounts, type UsageOutcome } from './hour-counts.js';
import { Outages } from './outages.js';
import { keysOfSecrets, type Secret, UndecidedRequests } from './undecided-requests.js';

const WRITE_EVERY_MS = 10_000;

/** A write that is this late is reported: it missed two turns. */
const LATE_S = 30;

/** Counts in memory, about 20 MB, and as many unwritten ones. Requests beyond that are dropped. */
const COUNTS_MAX = 100_000;

/** Counts per statement, which takes about 5 ms: request writes may wait for its connection. */
const CHUNK = 200;

/** Chunks with an invalid row that are resent row by row. Further ones are dropped: shutdown cannot wait for 100,000 statements. */
const SPLITS_MAX = 10;

const MINUTE_MS = 60_000;

/**
 * All replicas write in the same order, so that they cannot deadlock. Commits are asynchronous. Rows without a key count by address.
 */
const ADD_HOURS = statement(
  'add_usage_hours',
  `
    with commit as materialized (select set_config('synchronous_commit', 'off', true)),
    counted as materialized (
      select *
      from unnest($1::timestamptz[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
        as counted (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
    ), of_addresses as (
      insert into address_usage_hours as a (hour, outcome, requests)
      select hour, outcome, sum(counted.requests)
      from counted
      where api_key_id is null
      group by hour, outcome
      order by hour, outcome
      on conflict (hour, outcome) do update set requests = least(a.requests + excluded.requests, count_max())
    )
    insert into api_key_usage_hours as u (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
    select hour, api_key_id, operation, outcome, sum(counted.requests), sum(counted.total_ms), nullif(max(counted.minute_peak), 0)
    from commit
    cross join counted
    where api_key_id is not null
    group by hour, api_key_id, operation, outcome
    order by hour, api_key_id, operation, outcome
    on conflict (hour, api_key_id, operation, outcome) do update
    set
      requests = least(u.requests + excluded.requests, count_max()),
      total_ms = least(u.total_ms + excluded.total_ms, count_max()),
      minute_peak = greatest(u.minute_peak, excluded.minute_peak)`,
);

/** Without a pool permit, nothing was sent. */
const mayBeCommitted = (error: unknown): boolean =>
  !(error instanceof UnavailableError) && ['broken', 'unexpected'].includes(classifyDatabaseError(error));

/**
 * Counts the requests of each key by hour, operation and outcome, and those that were rejected by their client address by outcome alone.
 * Writes the counts every ten seconds, outside of any request.
 * Hours may undercount but never overcount: rows that may be written are not retried. The exact counts per day are those of
 * admission.
 */
@Injectable()
export class UsageRecorder implements HttpObserver {
  readonly #counts = new HourCounts<bigint | undefined>(COUNTS_MAX);
  readonly #undecided: UndecidedRequests;
  readonly #outages: Outages;
  readonly #droppedTotal: Counter;
  #dropped = 0;
  #isFailing = false;
  #isWriting = false;
  /** When all was written last, as a moment of `performance.now()`. */
  #writtenAt = performance.now();
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    registry: Registry,
  ) {
    this.#undecided = new UndecidedRequests((secrets) => keysOfSecrets(prisma, secrets));
    this.#outages = new Outages(prisma, clock);
    this.#droppedTotal = new Counter({
      name: 'petstore_usage_dropped_requests_total',
      help: 'Requests that are missing in the usage by hour: their write has an unknown result, or memory was full.',
      registers: [registry],
    });
    const unwritten: Gauge = new Gauge({
      name: 'petstore_usage_unwritten_seconds',
      help: 'Time since the usage by hour was written; over 20 if writes fail or wait.',
      registers: [registry],
      collect: () => unwritten.set(this.#unwrittenSeconds()),
    });
  }

  responded(request: FastifyRequest, reply: FastifyReply): void {
    const { decision } = request;
    if (decision === null) return;
    const of = decision.caller?.keyId ?? rejectedOf(decision);
    // A request that needs no key.
    if (of === undefined && decision.state === 'admitted') return;
    const operation = of === undefined ? 'none' : (routeConfigOf(request).operation ?? 'none');
    const count = {
      hourMs: this.#hourOf(decision),
      operation,
      requests: 1,
      totalMs: reply.elapsedTime,
      // Shared by all replicas: the peak is that of the key.
      minutePeak: decision.state === 'admitted' ? usedOf(windowOf(decision, 'minute')) : 0,
    };
    if (typeof of === 'string') this.#undecided.add({ ...count, of, outcome: 'undecided' });
    else if (!this.#counts.add({ ...count, of, outcome: outcomeOf(decision, reply.statusCode) }))
      this.#dropped += 1;
  }

  /** Problems for operators, in sentences. */
  problems(): readonly string[] {
    if (this.#isFailing) return ['The usage by hour cannot be written: see the log.'];
    const seconds = this.#unwrittenSeconds();
    return seconds < LATE_S
      ? []
      : [`A write of the usage by hour has been waiting for ${Math.floor(seconds)} s.`];
  }

  #unwrittenSeconds(): number {
    return (performance.now() - this.#writtenAt) / 1000;
  }

  /** Skips a turn during a write, so that writes do not queue up behind a stalled one. */
  @Interval(WRITE_EVERY_MS)
  writeUnlessWriting(): void {
    if (!this.#isWriting) void this.write();
  }

  /** Writes what was counted since the last time. Never rejects: what is known to have failed is written the next time. */
  write(): Promise<void> {
    this.#isWriting = true;
    this.#writing = this.#writing.then(() => this.#writeAll()).finally(() => (this.#isWriting = false));
    return this.#writing;
  }

  /** Writes the rest. Resolves when it is written, or lost. */
  async close(): Promise<void> {
    await this.write();
    this.#drop(this.#counts.take());
    this.#reportDropped();
  }

  async #writeAll(): Promise<void> {
    let failure: unknown;
    const steps = [
      async () => this.#keep(await this.#undecided.takeByKey()),
      () => this.#writeCounts(),
      () => this.#outages.write(() => this.#undecided.takeUnmatched()),
    ];
    for (const step of steps) await step().catch((error: unknown) => (failure ??= error));
    if (failure !== undefined && !this.#isFailing)
      this.logger.warn({ err: failure }, 'cannot write the usage by hour; retrying every 10 s');
    this.#isFailing = failure !== undefined;
    if (!this.#isFailing) this.#writtenAt = performance.now();
    this.#reportDropped();
  }

  async #writeCounts(): Promise<void> {
    const chunks = chunked(this.#counts.take(), CHUNK);
    let splits = 0;
    for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
      try {
        await this.#send(chunk);
      } catch (err) {
        if (isDataError(err)) {
          if (splits === 0) this.logger.warn({ err }, 'a row of the usage by hour cannot be written');
          // One key's row must not block those of others.
          if (chunk.length > 1 && splits < SPLITS_MAX) chunks.unshift(...chunked(chunk, 1));
          else this.#drop(chunk);
          if (chunk.length > 1) splits += 1;
          continue;
        }
        if (mayBeCommitted(err)) this.#drop(chunk);
        else chunks.unshift(chunk);
        this.#keep(chunks.flat());
        throw err;
      }
    }
  }

  /** Drops those that do not fit. */
  #keep(counts: readonly HourCount[]): void {
    this.#drop(counts.filter((count) => !this.#counts.add(count)));
  }

  async #send(counts: readonly HourCount[]): Promise<void> {
    const values = [
      counts.map(({ hourMs }) => new Date(hourMs).toISOString()),
      plainArray(counts.map(({ of }) => of)),
      counts.map(({ operation }) => operation),
      counts.map(({ outcome }) => outcome),
      plainArray(counts.map(({ requests }) => requests)),
      plainArray(counts.map(({ totalMs }) => Math.round(totalMs))),
      plainArray(counts.map(({ minutePeak }) => minutePeak)),
    ];
    await this.prisma.pools.writes.run(() => this.prisma.write(ADD_HOURS, values));
  }

  #drop(counts: readonly HourCount[]): void {
    for (const { requests } of counts) this.#dropped += requests;
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    this.#droppedTotal.inc(this.#dropped);
    this.logger.warn(
      `${this.#dropped} requests are missing in the usage by hour: their write failed or has an unknown result, or memory was full`,
    );
    this.#dropped = 0;
  }

  /** The hour of the minute that counted the request, else of the decision. */
  #hourOf(decision: AdmissionDecision): number {
    const { caller } = decision;
    const atMs =
      caller === undefined ? this.clock.nowMs() : windowOf(decision, 'minute').resetAtMs - MINUTE_MS;
    return atMs - (atMs % HOUR_MS);
  }
}

const usedOf = ({ limit, remaining }: LimitWindow): number => limit - remaining;

const chunked = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, nth) =>
    items.slice(nth * size, (nth + 1) * size),
  );

/** The rejected key, or the secret that was not looked up. */
function rejectedOf({ rejectedKey }: AdmissionDecision): bigint | Secret | undefined {
  if (rejectedKey === undefined) return undefined;
  return 'keyId' in rejectedKey ? rejectedKey.keyId : rejectedKey.secret;
}

const OUTCOMES: Readonly<Record<Exclude<AdmissionState, 'admitted'>, UsageOutcome>> = {
  limited: 'limited',
  banned: 'banned',
  suspended: 'suspended',
  revoked: 'unauthorized',
  expired: 'unauthorized',
  unknown: 'unauthorized',
  undecided: 'undecided',
};

function outcomeOf({ rejectedKey, state }: AdmissionDecision, status: number): UsageOutcome {
  if (rejectedKey !== undefined) return 'unauthorized';
  if (state !== 'admitted') return OUTCOMES[state];
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'client_error' : 'success';
}
