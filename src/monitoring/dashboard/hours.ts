import { HOUR_MS, USAGE_OUTCOMES } from '../../usage/hour-counts.js';
import { messageOf } from '../../errors/describe-fault.js';
import type { Query } from './dashboard-database.js';
import { type HourSum, NO_KEY, readHours, readMarks, readNow, readOutages } from './queries.js';

/** How many hours the page may show. */
export const RANGES = { '24h': 24, '7d': 7 * 24, '35d': 35 * 24 } as const;

export type Range = keyof typeof RANGES;

/** Hours that are over for so long have been written: replicas write every ten seconds. */
const WRITTEN_AFTER_MS = 600_000;

/** Hours that one statement sums up. With ten million rows in 35 days it takes 0.2 s. */
const CHUNK = 24;

/** The requests of all keys by hour. The sums of past hours are remembered for an hour, because to sum up 35 days takes seconds. */
export class Hours {
  #past = new Map<number, readonly HourSum[]>();
  #lastMs = 0;

  constructor(private readonly run: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>) {}

  async read(range: Range): Promise<object> {
    const now = await this.run(readNow);
    const lastMs = now.getTime() - (now.getTime() % HOUR_MS);
    // A replica may have written to a past hour late.
    if (lastMs !== this.#lastMs) this.#past = new Map();
    this.#lastMs = lastMs;
    const hours = Array.from(
      { length: RANGES[range] },
      (_, nth) => lastMs - (RANGES[range] - 1 - nth) * HOUR_MS,
    );
    const sums: (readonly HourSum[])[] = [];
    for (let from = 0; from < hours.length; from += CHUNK) {
      sums.push(...(await this.#sumsOf(hours.slice(from, from + CHUNK), now.getTime())));
    }
    const problems: string[] = [];
    const besides = async (what: string, read: typeof readMarks): Promise<object[]> => {
      try {
        return await this.run((query) => read(query, new Date(hours[0] ?? lastMs)));
      } catch (error) {
        problems.push(`${what} cannot be read: ${messageOf(error)}`);
        return [];
      }
    };
    const marks = await besides('What was changed', readMarks);
    const outages = await besides('When there was no database', readOutages);
    const times = hours.map((hourMs) => new Date(hourMs));
    return { now, hours: times, ...summarise(sums), marks, outages, problems };
  }

  /** Sums of successive hours, in their order. */
  async #sumsOf(hours: readonly number[], nowMs: number): Promise<readonly (readonly HourSum[])[]> {
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
      if (hourMs + HOUR_MS + WRITTEN_AFTER_MS < nowMs) past.set(hourMs, rows);
    }
    return hours.map((hourMs) => read.get(hourMs) ?? past.get(hourMs) ?? []);
  }
}

/** Requests of each outcome by hour, and of each operation with their mean time. */
function summarise(sums: readonly (readonly HourSum[])[]): object {
  const outcomes = [...USAGE_OUTCOMES, NO_KEY].map((outcome) => ({
    outcome,
    requests: sums.map((rows) => total(rows.filter((row) => row.outcome === outcome))),
  }));
  const all = sums.flat().filter(({ outcome }) => outcome !== NO_KEY);
  const operations = [...new Set(all.map(({ operation }) => operation))].map((operation) => {
    const rows = all.filter((row) => row.operation === operation);
    const requests = total(rows);
    const totalMs = rows.reduce((sum, row) => sum + Number(row.total_ms), 0);
    return { operation, requests, meanMs: Math.round((10 * totalMs) / Number(requests)) / 10 };
  });
  return { outcomes, operations: operations.toSorted((a, b) => Number(b.requests - a.requests)) };
}

const total = (rows: readonly HourSum[]): bigint => rows.reduce((sum, { requests }) => sum + requests, 0n);
