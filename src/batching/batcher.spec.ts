import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Semaphore } from '../database/semaphore.js';
import { UnavailableError } from '../errors/database-errors.js';
import { FAILURES, FakeSend } from '../../test/support/fake-send.js';
import { QUARANTINE_MS } from './locks.js';
import {
  BACKOFF_MS,
  Batcher,
  type BatcherOptions,
  type BatchReport,
  deduplicated,
  LOCKED,
  TICK_MS,
} from './batcher.js';

let database: FakeSend;
beforeEach(() => {
  jest.useFakeTimers();
  database = new FakeSend();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets time pass, and everything that is due happen. */
const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);

const batcherOf = (options: Partial<BatcherOptions<string, string>> = {}): Batcher<string, string> =>
  new Batcher<string, string>({
    name: 'pets',
    send: database.send,
    isRead: true,
    sizeMax: 4,
    concurrencyMax: 1,
    waitingMax: 100,
    timeoutMs: 1000,
    ...options,
  });

/** The outcome of a promise: its value, the reason of an `UnavailableError`, another error's message, or `open`. */
function outcomeOf(promise: Promise<string>): () => string {
  let outcome = 'open';
  promise.then(
    (value) => (outcome = value),
    (error: unknown) => {
      outcome = error instanceof UnavailableError ? error.reason : (error as Error).message;
    },
  );
  return () => outcome;
}

const loadAll = (batcher: Batcher<string, string>, items: string): (() => readonly string[]) => {
  const outcomes = items.split(' ').map((item) => outcomeOf(batcher.load(item)));
  return () => outcomes.map((outcome) => outcome());
};

/** Of writes that lock a row: that of `a7` is 7. */
const locking = (options: Partial<BatcherOptions<string, string>> = {}): Batcher<string, string> =>
  batcherOf({ isRead: false, keyOf: (item) => item.slice(1), locksRow: true, sizeMax: 8, ...options });

/** The key of `a7` is `a`. */
const separating = (): Batcher<string, string> =>
  batcherOf({ isRead: false, separatesTimeouts: true, keyOf: ([key = '']) => key, timeoutMs: 10_000 });

describe('a batcher', () => {
  it('sends what arrives together in one statement, and gives each item its own result', async () => {
    const outcomes = loadAll(batcherOf(), 'a b c');
    await pass();
    expect(database.sent).toEqual(['a b c']);
    database.statement(0).end();
    await pass();
    expect(outcomes()).toEqual(['a in 0', 'b in 0', 'c in 0']);
  });

  it('sends a full statement at once, and what arrives while one is under way in the next', async () => {
    const batcher = batcherOf();
    const outcomes = loadAll(batcher, 'a b c d e');
    expect(database.sent).toEqual(['a b c d']);
    await pass();
    const later = loadAll(batcher, 'f');
    expect(batcher.waiting).toBe(2);
    database.statement(0).end();
    await pass();
    expect(database.sent).toEqual(['a b c d', 'e f']);
    database.statement(1).end();
    await pass();
    expect([...outcomes(), ...later()].slice(4)).toEqual(['e in 1', 'f in 1']);
  });

  it('has no more statements under way than it may', async () => {
    const batcher = batcherOf({ concurrencyMax: 2 });
    loadAll(batcher, 'a b c d e f g h i');
    await pass();
    expect(database.sent).toEqual(['a b c d', 'e f g h']);
  });

  it('lets keys take turns', async () => {
    const batcher = batcherOf({ keyOf: (item) => item.slice(0, 1), sizeMax: 2 });
    loadAll(batcher, 'a1 a2 a3 a4 a5 b1');
    database.statement(0).end();
    await pass();
    expect(database.sent).toEqual(['a1 a2', 'a3 b1']);
  });

  it('rejects one more item than may wait, and no later one that finds room', async () => {
    const batcher = batcherOf({ waitingMax: 2 });
    loadAll(batcher, 'a');
    await pass();
    const outcomes = loadAll(batcher, 'b c d');
    await pass();
    expect(outcomes()).toEqual(['open', 'open', 'overloaded']);
    database.statement(0).end();
    await pass();
    const accepted = loadAll(batcher, 'f');
    await pass();
    expect(accepted()).toEqual(['open']);
  });

  it('rejects an item alone whose result is an error', async () => {
    const outcomes = loadAll(batcherOf(), 'a b');
    await pass();
    database.statement(0).end([new Error('no such pet'), 'fine']);
    await pass();
    expect(outcomes()).toEqual(['no such pet', 'fine']);
  });

  it('rejects all items of a statement with more or fewer results', async () => {
    const outcomes = loadAll(batcherOf(), 'a b');
    await pass();
    database.statement(0).end(['only one']);
    await pass();
    expect(outcomes()).toEqual(Array(2).fill('pets: 1 results for 2 items'));
  });

  it('reports each statement with the items and their context', async () => {
    const reports: BatchReport[] = [];
    const batcher = batcherOf({ onStatement: (report) => reports.push(report), contextOf: () => 'span' });
    loadAll(batcher, 'a b');
    await pass();
    await pass(40);
    database.statement(0).fail(FAILURES.rejected());
    await pass();
    expect(reports).toEqual([
      expect.objectContaining({ batcher: 'pets', durationMs: 40, failure: 'rejected' }),
    ]);
    expect(reports[0]?.items.map(({ context }) => context)).toEqual(['span', 'span']);
  });

  it('sends equal items once with deduplicated, and gives all of them the result', async () => {
    const batcher = batcherOf({ send: deduplicated((item) => item, database.send) });
    const outcomes = loadAll(batcher, 'a b a');
    await pass();
    expect(database.sent).toEqual(['a b']);
    database.statement(0).end();
    await pass();
    expect(outcomes()).toEqual(['a in 0', 'b in 0', 'a in 0']);
  });

  describe('when it is closed', () => {
    it('rejects new items, and waits for the earlier ones', async () => {
      const batcher = batcherOf();
      loadAll(batcher, 'a');
      await pass();
      let isClosed = false;
      void batcher.close().then(() => (isClosed = true));
      const rejected = loadAll(batcher, 'b');
      await pass();
      expect([rejected(), isClosed]).toEqual([['closing'], false]);
      database.statement(0).end();
      await pass();
      expect(isClosed).toBe(true);
    });
  });

  describe('deadlines', () => {
    it('give up what waits and what is under way, at most two ticks early and never late', async () => {
      const batcher = batcherOf();
      const underWay = loadAll(batcher, 'a');
      await pass();
      const waiting = loadAll(batcher, 'b');
      await pass(1000 - 3 * TICK_MS);
      expect([...underWay(), ...waiting()]).toEqual(['open', 'open']);
      await pass(3 * TICK_MS);
      expect([...underWay(), ...waiting(), batcher.waiting]).toEqual(['timed-out', 'timed-out', 0]);
    });

    it('are each item’s own, wherever it stands in the queue', async () => {
      const batcher = batcherOf();
      loadAll(batcher, 'a');
      await pass();
      const now = performance.now();
      const outcomes = [900, 300].map((ms) => outcomeOf(batcher.load('b', now + ms)));
      await pass(300);
      expect(outcomes.map((one) => one())).toEqual(['open', 'timed-out']);
    });

    it('keep the place of a statement until it ends, and ignore its late result', async () => {
      const batcher = batcherOf();
      const late = loadAll(batcher, 'a');
      await pass();
      await pass(30_000);
      const next = loadAll(batcher, 'b');
      await pass();
      expect([late(), database.sent]).toEqual([['timed-out'], ['a']]);
      database.statement(0).end();
      await pass();
      database.statement(1).end();
      await pass();
      expect([late(), next()]).toEqual([['timed-out'], ['b in 1']]);
    });

    it('let nothing be sent that needs more time than is left, and say until when it may be', async () => {
      const batcher = batcherOf({ neededMs: () => 600 });
      const begunAt = performance.now();
      loadAll(batcher, 'a');
      await pass();
      expect(database.statement(0).sendBefore).toBe(begunAt + 400);
      const waiting = loadAll(batcher, 'b');
      await pass(400 - 3 * TICK_MS);
      expect(waiting()).toEqual(['open']);
      await pass(3 * TICK_MS);
      database.statement(0).end();
      await pass();
      expect([waiting(), database.sent]).toEqual([['timed-out'], ['a']]);
    });

    it('hold also when time jumps, as after a stall of the process', async () => {
      const batcher = batcherOf({ neededMs: () => 600 });
      loadAll(batcher, 'a');
      await pass();
      const waiting = loadAll(batcher, 'b');
      const nowMs = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(nowMs + 401);
      database.statement(0).end();
      await pass();
      expect([waiting(), database.sent]).toEqual([['timed-out'], ['a']]);
      clock.mockRestore();
    });

    it('need one timer, and none when nothing is open', async () => {
      const batcher = batcherOf();
      expect(jest.getTimerCount()).toBe(0);
      loadAll(batcher, 'a b c d e f');
      await pass();
      expect(jest.getTimerCount()).toBe(1);
      database.statement(0).end();
      await pass();
      database.statement(1).end();
      await pass(2 * TICK_MS);
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  describe('a failure', () => {
    it.each([true, false])(
      'by an error of the statement has each item sent alone (reads: %s)',
      async (isRead) => {
        const batcher = batcherOf({ isRead });
        const outcomes = loadAll(batcher, 'a bad c');
        await pass();
        const later = loadAll(batcher, 'd e');
        database.statement(0).fail(FAILURES['statement-error']());
        await pass();
        database.statement(1).end();
        await pass();
        database.statement(2).fail(FAILURES['statement-error']());
        await pass();
        database.statement(3).end();
        await pass();
        expect(database.sent).toEqual(['a bad c', 'a', 'bad', 'c', 'd e']);
        database.statement(4).end();
        await pass();
        expect([...outcomes(), ...later()]).toEqual(['a in 1', 'out of range', 'c in 3', 'd in 4', 'e in 4']);
      },
    );

    it.each(['not-sent', 'server-timeout'] as const)(
      'by %s has the items sent again together after a pause, until their deadline',
      async (failure) => {
        const batcher = batcherOf({ isRead: false });
        const outcomes = loadAll(batcher, 'a b');
        await pass();
        database.statement(0).fail(FAILURES[failure]());
        await pass();
        const later = loadAll(batcher, 'c');
        expect(database.sent).toEqual(['a b']);
        await pass(BACKOFF_MS + TICK_MS);
        expect(database.sent).toEqual(['a b', 'a b c']);
        database.statement(1).fail(FAILURES[failure]());
        await pass(1000);
        expect([...outcomes(), ...later()].slice(0, 2)).toEqual(['timed-out', 'timed-out']);
      },
    );

    it('that lasts is the cause of the items that are given up, until a statement succeeds', async () => {
      const batcher = batcherOf();
      const given = batcher.load('a');
      const rejected = expect(given).rejects.toMatchObject({
        reason: 'timed-out',
        cause: { message: 'connect ECONNREFUSED' },
      });
      await pass();
      database.statement(0).fail(FAILURES['not-sent']());
      await pass(1000);
      await rejected;
      loadAll(batcher, 'b');
      database.statements.at(-1)?.end();
      await pass();
      database.statements.at(-1)?.end();
      await pass();
      loadAll(batcher, 'c');
      await pass();
      const late = expect(batcher.load('d')).rejects.toMatchObject({ cause: undefined });
      await pass(1000);
      await late;
    });

    it('by a broken connection has reads sent once more, and writes never', async () => {
      const outcomes = loadAll(batcherOf(), 'a');
      await pass();
      database.statement(0).fail(FAILURES.broken());
      await pass(BACKOFF_MS + TICK_MS);
      database.statement(1).fail(FAILURES.broken());
      await pass(1000);
      expect([database.sent, outcomes()]).toEqual([['a', 'a'], ['database']]);

      const written = loadAll(batcherOf({ isRead: false }), 'w');
      await pass();
      database.statement(2).fail(FAILURES.broken());
      await pass(1000);
      expect([database.sent.length, written()]).toEqual([3, ['database']]);
    });

    it('by anything else rejects all items at once', async () => {
      const batcher = batcherOf();
      const rejected = loadAll(batcher, 'a b');
      await pass();
      database.statement(0).fail(FAILURES.rejected());
      await pass();
      expect(rejected()).toEqual(['database', 'database']);
      const unexpected = loadAll(batcher, 'c d');
      await pass();
      database.statement(1).fail(FAILURES.unexpected());
      await pass();
      expect([unexpected(), database.sent.length]).toEqual([Array(2).fill('rows is not iterable'), 2]);
    });

    it('puts the items of several statements back in the order of their arrival', async () => {
      const batcher = batcherOf({ sizeMax: 2, concurrencyMax: 2 });
      loadAll(batcher, 'a b c d');
      database.statement(1).fail(FAILURES['not-sent']());
      database.statement(0).fail(FAILURES['not-sent']());
      await pass(BACKOFF_MS + 2 * TICK_MS);
      expect(database.sent.slice(2)).toEqual(['a b', 'c d']);
    });

    it('sends nothing again for an item that was given up', async () => {
      const outcomes = loadAll(batcherOf(), 'a');
      await pass();
      await pass(1000);
      database.statement(0).fail(FAILURES.broken());
      await pass(1000);
      expect([outcomes(), database.sent]).toEqual([['timed-out'], ['a']]);
    });
  });

  describe('a key that times out alone', () => {
    it('is kept apart: the others go on, one of its items waits, and more are rejected', async () => {
      const batcher = separating();
      const first = loadAll(batcher, 'a1 b1 a2');
      await pass();
      database.statement(0).fail(FAILURES['server-timeout']());
      await pass();
      expect(database.sent).toEqual(['a1 b1 a2', 'a1']);
      database.statement(1).fail(FAILURES['server-timeout']());
      await pass();
      expect(database.sent.slice(2)).toEqual(['b1']);
      database.statement(2).end();
      await pass();
      expect(first()).toEqual(['database', 'b1 in 2', 'database']);

      const later = loadAll(batcher, 'a3 b2 a4 b3');
      await pass();
      expect(database.sent.slice(3)).toEqual(['b2 b3']);
      database.statement(3).end();
      await pass();
      expect(later()).toEqual(['open', 'b2 in 3', 'timed-out', 'b3 in 3']);

      await pass(QUARANTINE_MS + TICK_MS);
      expect(database.sent.slice(4)).toEqual(['a3']);
      database.statement(4).end();
      await pass();
      loadAll(batcher, 'a5 b4 a6');
      await pass();
      expect(database.sent.slice(5)).toEqual(['a5 b4 a6']);
    });

    it('ends with the others when the table was locked, and their items are not lost', async () => {
      const batcher = separating();
      const rejected = loadAll(batcher, 'a1 b1');
      await pass();
      for (const number of [0, 1, 2]) {
        database.statement(number).fail(FAILURES['server-timeout']());
        await pass();
      }
      expect(rejected()).toEqual(['database', 'database']);
      const later = loadAll(batcher, 'a2 b2');
      await pass(QUARANTINE_MS + TICK_MS);
      expect(database.sent.slice(3)).toEqual(['a2']);
      database.statement(3).end();
      await pass();
      expect(database.sent.slice(4)).toEqual(['b2']);
      database.statement(4).end();
      await pass();
      expect(later()).toEqual(['a2 in 3', 'b2 in 4']);
    });
  });

  describe('a locked row', () => {
    it('is tried again with its first item, while other rows pass and its later items wait', async () => {
      const batcher = locking();
      const outcomes = loadAll(batcher, 'a7 b7 a8');
      await pass();
      database.statement(0).end([LOCKED, 'a8']);
      await pass();
      const later = loadAll(batcher, 'c7 a9');
      await pass();
      database.statement(1).end();
      await pass(2 * TICK_MS);
      expect(database.sent).toEqual(['a7 a8', 'a9', 'a7']);
      database.statement(2).end([LOCKED]);
      await pass(2 * TICK_MS);
      for (const nth of [3, 4, 5]) {
        database.statement(nth).end();
        await pass();
      }
      expect(database.sent.slice(3)).toEqual(['a7', 'b7', 'c7']);
      expect([...outcomes(), ...later()]).toEqual(['a7 in 3', 'b7 in 4', 'a8', 'c7 in 5', 'a9 in 1']);
    });

    it('has one item under way at a time, also while others have a place', async () => {
      const batcher = locking({ concurrencyMax: 3 });
      loadAll(batcher, 'a7 b7');
      await pass();
      expect(database.sent).toEqual(['a7']);
      database.statement(0).end([LOCKED]);
      await pass(10 * TICK_MS);
      expect(database.sent).toEqual(['a7', 'a7']);
    });

    it('delays only its own items when each has a statement of its own', async () => {
      const batcher = locking({ sizeMax: 1, concurrencyMax: Infinity });
      const outcomes = loadAll(batcher, 'a7 b8 c9');
      await pass();
      expect(database.sent).toEqual(['a7', 'b8', 'c9']);
      database.statement(0).end([LOCKED]);
      database.statement(1).end();
      await pass(2 * TICK_MS);
      const later = loadAll(batcher, 'd7 e8');
      await pass();
      expect(database.sent.slice(3)).toEqual(['a7', 'e8']);
      for (const statement of database.statements.slice(2)) statement.end();
      await pass();
      database.statement(5).end();
      await pass();
      expect([...outcomes(), ...later()]).toEqual(['a7 in 3', 'b8 in 1', 'c9 in 2', 'd7 in 5', 'e8 in 4']);
    });

    it('gives its items up at their deadlines, and is forgotten', async () => {
      const batcher = locking();
      const outcomes = loadAll(batcher, 'a7 b7');
      await pass();
      database.statement(0).end([LOCKED]);
      await pass(500);
      database.statement(1).end([LOCKED]);
      await pass(500);
      expect([outcomes(), batcher.waiting]).toEqual([['row-locked', 'row-locked'], 0]);
      for (const statement of database.statements) statement.end([LOCKED]);
      await pass(2 * TICK_MS);
      const next = loadAll(batcher, 'c7');
      await pass();
      database.statements.at(-1)?.end(['c7']);
      await pass();
      expect(next()).toEqual(['c7']);
    });

    it('that was given up is no reason any more for items that are late for want of a place', async () => {
      const batcher = locking({ concurrencyMax: 1 });
      const locked = loadAll(batcher, 'a7');
      await pass();
      database.statement(0).end([LOCKED]);
      await pass();
      // It has the only place from now on.
      loadAll(batcher, 'b8');
      await pass(1000);
      const late = loadAll(batcher, 'c7');
      await pass(1000);
      expect([database.sent, locked(), late()]).toEqual([['a7', 'b8'], ['row-locked'], ['timed-out']]);
    });

    it('leaves room for other rows, however many there are', async () => {
      const batcher = locking();
      loadAll(batcher, Array.from({ length: 90 }, (_, row) => `a${row}`).join(' '));
      const endAllLocked = async (): Promise<void> => {
        const nth = database.sent.length - 1;
        database
          .statement(nth)
          .end(Array<typeof LOCKED>(database.sent[nth]?.split(' ').length ?? 0).fill(LOCKED));
        await pass();
      };
      while (database.sent.length < 12) await endAllLocked();
      await endAllLocked();
      for (const other of ['b100', 'b101', 'b102']) {
        await pass(2 * TICK_MS);
        loadAll(batcher, other);
        const before = database.sent.length;
        while (!database.sent.some((items) => items.includes(other))) await endAllLocked();
        // 32 rows are tried again at a tick, 8 in each statement, and two ticks have passed.
        expect(database.sent.length - before).toBeLessThanOrEqual((2 * 32) / 8 + 1);
      }
      expect(database.sent.slice(12).join(' ').split(' ')).toEqual(
        expect.arrayContaining(['a0', 'a40', 'a89']),
      );
    });

    it('lets its later items go on when the first one fails', async () => {
      const batcher = locking();
      const outcomes = loadAll(batcher, 'a7 b7');
      await pass();
      database.statement(0).end([LOCKED]);
      await pass(2 * TICK_MS);
      database.statement(1).fail(FAILURES.broken());
      await pass(BACKOFF_MS + TICK_MS);
      expect(database.sent[2]).toBe('b7');
      database.statement(2).end();
      await pass();
      expect(outcomes()).toEqual(['database', 'b7 in 2']);
    });
  });
});

describe('batchers that share permits', () => {
  it('keep their items in the queue until there is one, and take turns', async () => {
    const permits = new Semaphore(1);
    const [pets, orders] = [batcherOf({ permits, concurrencyMax: 2 }), batcherOf({ permits })];
    const first = loadAll(pets, 'a');
    await pass();
    loadAll(pets, 'b');
    loadAll(orders, 'x');
    await pass();
    loadAll(pets, 'c');
    loadAll(orders, 'y');
    await pass();
    expect(database.sent).toEqual(['a']);
    expect([pets.waiting, orders.waiting, permits.waiting]).toEqual([2, 2, 2]);
    database.statement(0).end();
    await pass();
    expect(first()).toEqual(['a in 0']);
    expect(database.sent).toEqual(['a', 'b c']);
    loadAll(pets, 'd');
    database.statement(1).fail(FAILURES.unexpected());
    await pass();
    expect(database.sent).toEqual(['a', 'b c', 'x y']);
    database.statement(2).end();
    await pass();
    expect(database.sent).toEqual(['a', 'b c', 'x y', 'd']);
  });

  it('reject items whose time is over without a permit, which goes to others', async () => {
    const permits = new Semaphore(1);
    const [pets, orders] = [batcherOf({ permits, timeoutMs: 100 }), batcherOf({ permits })];
    permits.enter(() => undefined);
    const late = loadAll(pets, 'a');
    const waiting = loadAll(orders, 'x');
    await pass(100);
    expect([late(), waiting()]).toEqual([['timed-out'], ['open']]);
    permits.leave();
    await pass();
    expect(database.sent).toEqual(['x']);
  });

  it('report the time of a statement without that in which it waited for its permit', async () => {
    const reports: BatchReport[] = [];
    const permits = new Semaphore(1);
    const batcher = batcherOf({ permits, onStatement: (report) => reports.push(report) });
    permits.enter(() => undefined);
    loadAll(batcher, 'a');
    await pass(300);
    permits.leave();
    await pass(50);
    database.statement(0).end();
    await pass();
    expect(reports).toMatchObject([
      { durationMs: 50, items: [{ enqueuedAt: (reports[0]?.sentAt ?? 0) - 300 }] },
    ]);
  });
});
