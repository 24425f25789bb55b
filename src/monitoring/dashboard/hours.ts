import { HOUR_MS, USAGE_OUTCOMES } from '../../usage/hour-counts.js';
import { messageOf } from '../../errors/describe-error.js';
import type { Query } from './dashboard-database.js';
import {
  ERRORS,
  type HourSum,
  NO_KEY,
  readHours,
  readMarks,
  readNow,
  readOldestHour,
  readOutages,
  type Time,
} from './queries.js';

/** How many hours the page may show. */
export const RANGES = { '24h': 24, '7d': 7 * 24, '35d': 35 * 24 } as const;

/** The hours up to the current one, or a selected range. */
export type Span = keyof typeof RANGES | Time;

/** The whole hours of a span. */
export function timeOf(span: Span, now: Date): Time {
  if (typeof span !== 'string') return span;
  const toMs = now.getTime() - (now.getTime() % HOUR_MS) + HOUR_MS;
  return { from: new Date(toMs - RANGES[span] * HOUR_MS), to: new Date(toMs) };
}

/** Hours that ended this long ago are written: replicas write every ten seconds, except after an outage. */
const WRITTEN_AFTER_MS = 600_000;

/** Hours that one statement sums up. With ten million rows in 35 days it takes 0.2 s. */
const CHUNK = 24;

/** A longer range is not compared with the previous one. */
const COMPARED_MAX = RANGES['7d'];

interface Outage {
  readonly began_at: Date;
  readonly ended_at: Date;
}

/** The requests of all keys by hour. The sums of past hours are remembered for an hour, because to sum up 35 days takes seconds. */
export class Hours {
  #past = new Map<number, readonly HourSum[]>();
  #lastMs = 0;
  #readAtMs = 0;

  constructor(private readonly run: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>) {}

  async read(span: Span): Promise<object> {
    const now = await this.run(readNow);
    const time = timeOf(span, now);
    const lastMs = now.getTime() - (now.getTime() % HOUR_MS);
    if (lastMs !== this.#lastMs) this.#past = new Map();
    this.#lastMs = lastMs;
    const writtenMs = await this.#forgetLate(now.getTime());
    const hours = hoursOf(time);
    const sums = await this.#sumsOf(hours, writtenMs);
    const problems: string[] = [];
    const besides = async <Row>(what: string, read: (query: Query) => Promise<Row[]>): Promise<Row[]> => {
      try {
        return await this.run(read);
      } catch (error) {
        problems.push(`${what} cannot be read: ${messageOf(error)}`);
        return [];
      }
    };
    const marks = await besides('The changes', (query) => readMarks(query, time));
    const outages = await besides('The database outages', (query) => readOutages(query, time.from));
    const before = await this.#before(time, writtenMs);
    const times = hours.map((hourMs) => new Date(hourMs));
    return { now, ...time, hours: times, ...summarise(hours, sums), before, marks, outages, problems };
  }

  /** After an outage, replicas write what they counted during it. Returns until when all is written. */
  async #forgetLate(nowMs: number): Promise<number> {
    const sinceMs = Math.min(this.#readAtMs || nowMs, nowMs - WRITTEN_AFTER_MS);
    this.#readAtMs = nowMs;
    const outages = await this.run((query) => readOutages<Outage>(query, new Date(sinceMs))).catch(() => []);
    const lateMs = Math.min(nowMs - WRITTEN_AFTER_MS, ...outages.map((outage) => outage.began_at.getTime()));
    for (const hourMs of this.#past.keys()) if (hourMs + HOUR_MS > lateMs) this.#past.delete(hourMs);
    return lateMs;
  }

  /** The preceding range of equal length; undefined if hours are missing. */
  async #before({ from, to }: Time, writtenMs: number): Promise<object | undefined> {
    const lengthMs = to.getTime() - from.getTime();
    const time = { from: new Date(from.getTime() - lengthMs), to: from };
    if (lengthMs > COMPARED_MAX * HOUR_MS) return undefined;
    const oldest = await this.run(readOldestHour);
    if (oldest === null || oldest > time.from) return undefined;
    return { outcomes: summarise(hoursOf(time), await this.#sumsOf(hoursOf(time), writtenMs)).outcomes };
  }

  /** Sums of successive hours, in their order. */
  async #sumsOf(hours: readonly number[], writtenMs: number): Promise<readonly (readonly HourSum[])[]> {
    const sums: (readonly HourSum[])[] = [];
    for (let from = 0; from < hours.length; from += CHUNK)
      sums.push(...(await this.#chunk(hours.slice(from, from + CHUNK), writtenMs)));
    return sums;
  }

  async #chunk(hours: readonly number[], writtenMs: number): Promise<readonly (readonly HourSum[])[]> {
    // Another read may replace it meanwhile.
    const past = this.#past;
    const wanted = hours.filter((hourMs) => !past.has(hourMs));
    const read = new Map(wanted.map((hourMs) => [hourMs, [] as HourSum[]]));
    const [first] = wanted;
    const last = wanted.at(-1);
    if (first !== undefined && last !== undefined) {
      const rows = await this.run((query) => readHours(query, new Date(first), new Date(last + HOUR_MS)));
      for (const row of rows) read.get(row.hour.getTime())?.push(row);
    }
    for (const [hourMs, rows] of read) {
      if (hourMs + HOUR_MS < writtenMs) past.set(hourMs, rows);
    }
    return hours.map((hourMs) => read.get(hourMs) ?? past.get(hourMs) ?? []);
  }
}

const hoursOf = ({ from, to }: Time): readonly number[] =>
  Array.from(
    { length: (to.getTime() - from.getTime()) / HOUR_MS },
    (_, nth) => from.getTime() + nth * HOUR_MS,
  );

/** Requests of each outcome by hour, and of each operation with its errors, their first and worst hour, and the mean time. */
function summarise(hours: readonly number[], sums: readonly (readonly HourSum[])[]) {
  const outcomes = [...USAGE_OUTCOMES, NO_KEY].map((outcome) => ({
    outcome,
    requests: sums.map((rows) => total(rows.filter((row) => row.outcome === outcome))),
  }));
  const all = sums.flat().filter(({ outcome }) => outcome !== NO_KEY);
  const operations = [...new Set(all.map(({ operation }) => operation))].map((operation) => {
    const rows = all.filter((row) => row.operation === operation);
    const requests = total(rows);
    const totalMs = rows.reduce((sum, row) => sum + Number(row.total_ms), 0);
    const errors = sums.map((some) =>
      total(some.filter((row) => row.operation === operation && ERRORS.some((one) => one === row.outcome))),
    );
    const most = errors.reduce((highest, one) => (one > highest ? one : highest), 0n);
    const timeAt = (place: number): Date | undefined =>
      place < 0 || most === 0n ? undefined : new Date(hours[place] ?? 0);
    return {
      operation,
      requests,
      errors: errors.reduce((sum, one) => sum + one, 0n),
      errorsSince: timeAt(errors.findIndex((one) => one > 0n)),
      worstHour: timeAt(errors.indexOf(most)),
      meanMs: Math.round((10 * totalMs) / Number(requests)) / 10,
    };
  });
  return { outcomes, operations: operations.toSorted((a, b) => Number(b.requests - a.requests)) };
}

const total = (rows: readonly HourSum[]): bigint => rows.reduce((sum, { requests }) => sum + requests, 0n);
