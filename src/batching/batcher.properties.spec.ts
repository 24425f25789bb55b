import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { UnavailableError } from '../errors/database-errors.js';
import { Semaphore } from '../database/semaphore.js';
import { FAILURES } from '../../test/support/fake-send.js';
import { Batcher, deduplicated, LOCKED, TICK_MS } from './batcher.js';
import { cases } from '../../test/support/cases.js';

/** The server ends a statement by then, unless it commits. */
const NEEDED_MS = 200;
const TIMEOUT_MS = 500;

type Ending = 'success' | keyof typeof FAILURES;

const endings: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Ending>('success') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Ending>('not-sent', 'broken', 'server-timeout', 'statement-error', 'rejected'),
  },
);

/** How the database treats a statement: after how long it ends, how, which rows it finds locked, which item is bad. */
const treatment = fc.record({
  afterMs: fc.integer({ min: 0, max: NEEDED_MS - 2 * TICK_MS }),
  ending: endings,
  /** Whether a statement whose connection broke had committed. */
  commits: fc.boolean(),
  lockedRow: fc.option(fc.integer({ min: 0, max: 3 })),
});

const arrival = fc.record({
  afterMs: fc.constantFrom(0, 0, 0, 1, 7, 40, 150),
  row: fc.integer({ min: 0, max: 3 }),
  withinMs: fc.integer({ min: 2 * TICK_MS, max: TIMEOUT_MS }),
  /** For how long another batcher has a permit from then on. */
  othersMs: fc.option(fc.integer({ min: 0, max: NEEDED_MS }), { freq: 3 }),
});

const scenario = fc.record({
  isRead: fc.boolean(),
  sizeMax: fc.integer({ min: 1, max: 5 }),
  concurrencyMax: fc.integer({ min: 1, max: 3 }),
  permits: fc.integer({ min: 1, max: 4 }),
  arrivals: fc.array(arrival, { minLength: 1, maxLength: 30, size: 'max' }),
  treatments: fc.array(treatment, { minLength: 1, maxLength: 40, size: 'max' }),
});

interface Item {
  readonly row: number;
  readonly enqueuedAt: number;
  readonly deadline: number;
  executedAt: number[];
  settled: { readonly at: number; readonly error?: unknown; readonly result?: number } | undefined;
  settlements: number;
}

describe('a batcher before a database of random delays, failures, locks and disconnects', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('settles each item once and in time, loses none, and writes none twice or after its 503', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ arrivals, treatments, permits, ...limits }) => {
        let statements = 0;
        let inFlight = 0;
        let othersUnderWay = 0;
        const semaphore = new Semaphore(permits);
        const rowsUnderWay = new Set<number>();
        const executed = new Map<number, number>();
        const send = async (
          items: readonly Item[],
          sendBefore: number,
        ): Promise<readonly (number | typeof LOCKED)[]> => {
          const number = (statements += 1);
          const { afterMs, ending, commits, lockedRow } = treatments[
            number % treatments.length
          ] as (typeof treatments)[number];
          inFlight += 1;
          expect(inFlight).toBeLessThanOrEqual(limits.concurrencyMax);
          expect(inFlight + othersUnderWay).toBeLessThanOrEqual(permits);
          expect(items.length).toBeLessThanOrEqual(limits.sizeMax);
          for (const { row } of items) {
            expect(rowsUnderWay.has(row)).toBe(false);
            rowsUnderWay.add(row);
          }
          expect(performance.now()).toBeLessThanOrEqual(sendBefore);
          for (const item of items) {
            expect(item.settled).toBeUndefined();
            expect(item.enqueuedAt).toBeLessThanOrEqual(performance.now());
          }
          await new Promise((resolve) => setTimeout(resolve, afterMs));
          inFlight -= 1;
          for (const { row } of items) rowsUnderWay.delete(row);
          const isLocked = (item: Item): boolean => item.row === lockedRow;
          if (ending === 'success' || (ending === 'broken' && commits)) {
            for (const item of items) if (!isLocked(item)) item.executedAt.push(performance.now());
          }
          if (ending !== 'success') throw FAILURES[ending]();
          executed.set(number, performance.now());
          return items.map((item) => (isLocked(item) ? LOCKED : number));
        };
        const batcher = new Batcher<Item, number>({
          ...{ name: 'random', ...limits, waitingMax: 1000, timeoutMs: TIMEOUT_MS },
          permits: semaphore,
          neededMs: () => (limits.isRead ? 0 : NEEDED_MS),
          keyOf: ({ row }) => BigInt(row),
          locksRow: true,
          send,
        });
        const items: Item[] = [];
        for (const { afterMs, row, withinMs, othersMs } of arrivals) {
          await jest.advanceTimersByTimeAsync(afterMs);
          if (othersMs !== null) {
            void semaphore.run(async () => {
              othersUnderWay += 1;
              await new Promise((resolve) => setTimeout(resolve, othersMs));
              othersUnderWay -= 1;
            });
          }
          const enqueuedAt = performance.now();
          const deadline = enqueuedAt + withinMs;
          const item: Item = {
            row,
            enqueuedAt,
            deadline,
            executedAt: [],
            settled: undefined,
            settlements: 0,
          };
          items.push(item);
          batcher.load(item, deadline).then(
            (result) => {
              item.settlements += 1;
              item.settled = { at: performance.now(), result };
            },
            (error: unknown) => {
              item.settlements += 1;
              item.settled = { at: performance.now(), error };
            },
          );
        }
        // As long as the others may take one after another.
        await jest.advanceTimersByTimeAsync(3 * TIMEOUT_MS + arrivals.length * NEEDED_MS);
        for (const { deadline, settled, settlements, executedAt, enqueuedAt } of items) {
          expect(settlements).toBe(1);
          expect(settled?.at).toBeLessThanOrEqual(deadline);
          if (settled?.result !== undefined) {
            expect(executedAt).toContain(executed.get(settled.result));
            expect(executed.get(settled.result)).toBeGreaterThanOrEqual(enqueuedAt);
          }
          if (limits.isRead) continue;
          expect(executedAt.length).toBeLessThanOrEqual(1);
          for (const at of executedAt) expect(at).toBeLessThanOrEqual(settled?.at ?? 0);
          const { error } = settled ?? {};
          if (error instanceof UnavailableError && /timed-out|row-locked/.test(error.reason)) {
            expect(executedAt).toEqual([]);
          }
        }
        expect([batcher.waiting, jest.getTimerCount()]).toEqual([0, 0]);
        const left = Array.from({ length: permits + 1 }, () => semaphore.enter(() => undefined));
        expect(left.filter(Boolean)).toHaveLength(permits);
        await batcher.close();
      }),
      { numRuns: cases(300) },
    );
  });

  it('shares a result only among items that arrived before their statement was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 30 }), async (arrivals) => {
        const sentAt: number[] = [];
        const send = async (items: readonly number[]): Promise<readonly number[]> => {
          const number = sentAt.push(performance.now()) - 1;
          expect(new Set(items).size).toBe(items.length);
          await new Promise((resolve) => setTimeout(resolve, 30));
          return items.map(() => number);
        };
        const batcher = new Batcher<number, number>({
          ...{
            name: 'equal',
            isRead: true,
            sizeMax: 3,
            concurrencyMax: 2,
            waitingMax: 1000,
            timeoutMs: 5000,
          },
          send: deduplicated((item) => item, send),
        });
        const results: Promise<void>[] = [];
        for (const { afterMs, row } of arrivals) {
          await jest.advanceTimersByTimeAsync(afterMs);
          const arrivedAt = performance.now();
          results.push(
            batcher.load(row).then((number) => expect(sentAt[number]).toBeGreaterThanOrEqual(arrivedAt)),
          );
        }
        await jest.advanceTimersByTimeAsync(5000);
        await Promise.all(results);
      }),
      { numRuns: cases(100) },
    );
  });
});
