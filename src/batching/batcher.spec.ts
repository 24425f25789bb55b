import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { batcherOf, batcherStage } from '../../test/support/batcher-stage.js';
import { FAILURES, FakeSend } from '../../test/support/fake-send.js';
import { traces } from '../../test/support/traces.js';
import { Semaphore } from '../database/semaphore.js';
import { type BatchReport, deduplicated, LOCKED, TICK_MS } from './batcher.js';

let database: FakeSend;
beforeEach(() => {
  jest.useFakeTimers();
  database = new FakeSend();
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

const traced = (text: string): void => traces(batcherStage, text);
const pass = (ms = 0): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const settled = (promise: Promise<string>): Promise<string> =>
  promise.catch((error: { reason: string }) => error.reason);

describe('a batcher', () => {
  traced(`
sends what arrives together in one statement, and gives each item its own result
  load a b c → >a b c
  end 0 → a:0, b:0, c:0
sends a full statement at once, and what arrives while one is in flight in the next
  load! a b c d e → >a b c d
  load f →
  waiting → 2
  end 0 → a:0, b:0, c:0, d:0, >e f
  end 1 → e:1, f:1
has no more statements in flight than it may [concurrencyMax=2]
  load a b c d e f g h i → >a b c d, >e f g h
lets keys take turns [byKey sizeMax=2]
  load a1 a2 a3 a4 a5 b1 → >a1 a2
  end 0 → a1:0, a2:0, >a3 b1
rejects one more item than may wait, and no later one that finds room [waitingMax=2]
  load a → >a
  load b c →
  load d → d:overloaded
  end 0 → a:0, >b c
  load e →
rejects an item alone whose result is an error
  load a b → >a b
  end 0 !gone fine → a:gone, b:fine
rejects all items of a statement with more or fewer results
  load a b → >a b
  end 0 one → a:pets: 1 results for 2 items, b:pets: 1 results for 2 items
rejects new items when it is closed, and waits for the earlier ones
  load a → >a
  close →
  load b → b:closing
  end 0 → a:0, closed
`);

  it('reports each statement with the items and their context', async () => {
    const onStatement = jest.fn<(report: BatchReport) => void>();
    const batcher = batcherOf(database.send, { onStatement, contextOf: () => 'span' });
    const rejected = Promise.all(['a', 'b'].map((item) => settled(batcher.load(item))));
    await pass(40);
    database.statement(0).fail(FAILURES.rejected());
    await rejected;
    const items = Array(2).fill(expect.objectContaining({ context: 'span' }));
    const report = { batcher: 'pets', durationMs: 40, failure: 'rejected', items };
    expect(onStatement.mock.calls).toEqual([[expect.objectContaining(report)]]);
  });

  it('sends equal items once with deduplicated, and gives all of them the result', async () => {
    const batcher = batcherOf(deduplicated((item) => item, database.send));
    const outcomes = Promise.all(['a', 'b', 'a'].map((item) => batcher.load(item)));
    await pass();
    database.statement(0).end();
    expect([database.sent, await outcomes]).toEqual([['a b'], ['a in 0', 'b in 0', 'a in 0']]);
    const rejected = Promise.allSettled(['a', 'b', 'a'].map((item) => batcher.load(item)));
    await pass();
    database.statement(1).end(['one']);
    expect(await rejected).toEqual(
      Array(3).fill(expect.objectContaining({ reason: new Error('pets: 1 results for 3 items') })),
    );
  });
});

describe('deadlines', () => {
  traced(`
give up what waits and what is in flight at the last tick but one, so never late
  load a → >a
  load b →
  wait 970 →
  wait 10 → a:timed-out, b:timed-out
  waiting → 0
are each item’s own, wherever it stands in the queue
  load a → >a
  load b@900 c@300 →
  wait 300 → c:timed-out
keep the place of a statement until it ends, and ignore its late result
  load a → >a
  wait 30000 → a:timed-out
  load b →
  end 0 → >b
  end 1 → b:1
let nothing be sent that needs more time than is left, and say until when it may be [neededMs=600]
  load a → >a
  sendBefore 0 → 400
  load b →
  wait 355 →
  wait 3t → b:timed-out
  end 0 → a:0
let be sent what has exactly the time that it needs [neededMs=600]
  load a → >a
  load b →
  stall 400 →
  end 0 → a:0, >b
hold also when time jumps, as after a stall of the process [neededMs=600]
  load a → >a
  load b →
  stall 401 →
  end 0 → a:0, b:timed-out
need one timer, and none when nothing is open
  timers → 0
  load a b c d e f → >a b c d
  timers → 1
  end 0 → a:0, b:0, c:0, d:0, >e f
  end 1 → e:1, f:1
  wait 2t →
  timers → 0
`);
});

describe('a failure', () => {
  for (const kind of ['', ' [writes]']) {
    traced(`
by an error of the statement has each item sent alone${kind}
  load a bad c → >a bad c
  load d e →
  fail 0 statement-error → >a
  end 1 → a:1, >bad
  fail 2 statement-error → bad:out of range, >c
  end 3 → c:3, >d e
  end 4 → d:4, e:4
`);
  }

  for (const failure of ['not-sent', 'server-timeout']) {
    traced(`
by ${failure} has the items sent again together after a pause, until their deadline [writes]
  load a b → >a b
  fail 0 ${failure} →
  load c →
  wait backoff → >a b c
  fail 1 ${failure} →
  wait 1000 → a:timed-out, b:timed-out, c:timed-out, >a b c
`);
  }

  traced(`
by a broken connection has reads sent once more
  load a → >a
  fail 0 broken →
  wait backoff → >a
  fail 1 broken → a:database
  wait 1000 →
by a broken connection has writes never sent again [writes]
  load a → >a
  fail 0 broken → a:database
  wait 1000 →
by anything else rejects all items at once
  load a b → >a b
  fail 0 rejected → a:database, b:database
  load c d → >c d
  fail 1 unexpected → c:rows is not iterable, d:rows is not iterable
  wait 1000 →
puts the items of several statements back in the order of their arrival [sizeMax=2 concurrencyMax=2]
  load! a b c d → >a b, >c d
  fail 1 not-sent →
  fail 0 not-sent →
  wait backoff → >a b, >c d
sends no item together with one that has to be alone [concurrencyMax=2]
  load a b → >a b
  load c d → >c d
  fail 0 broken →
  fail 1 statement-error →
  wait backoff → >a b, >c
  end 2 → a:2, b:2, >d
sends nothing again for an item that was given up
  load a → >a
  wait 1000 → a:timed-out
  fail 0 broken →
  wait 1000 →
`);

  it('that lasts is the cause for abandoned items, until a statement succeeds', async () => {
    const batcher = batcherOf(database.send);
    const causeOf = (item: string) =>
      batcher.load(item).catch((error: Error) => (error.cause as Error | undefined)?.message);
    const first = causeOf('a');
    await pass();
    database.statement(0).fail(FAILURES['not-sent']());
    await pass(1000);
    expect(await first).toBe('connect ECONNREFUSED');
    void batcher.load('b');
    for (const _ of ['a again', 'b']) {
      database.statements.at(-1)?.end();
      await pass();
    }
    const later = [causeOf('c'), causeOf('d')];
    await pass(1000);
    expect(await Promise.all(later)).toEqual([undefined, undefined]);
  });
});

describe('a key that times out alone', () => {
  traced(`
is kept apart: the others go on, one of its items waits, and more are rejected [separating]
  load a1 b1 a2 → >a1 b1 a2
  fail 0 server-timeout → >a1
  fail 1 server-timeout → a1:database, a2:database, >b1
  end 2 → b1:2
  load a3 b2 a4 b3 → a4:timed-out, >b2 b3
  end 3 → b2:3, b3:3
  wait quarantine → >a3
  end 4 → a3:4
  load a5 b4 a6 → >a5 b4 a6
ends with the others when the table was locked, and their items are not lost [separating]
  load a1 b1 → >a1 b1
  fail 0 server-timeout → >a1
  fail 1 server-timeout → a1:database, >b1
  fail 2 server-timeout → b1:database
  load a2 b2 →
  wait quarantine → >a2
  end 3 → a2:3, >b2
  end 4 → b2:4
`);
});

describe('a locked row', () => {
  traced(`
is tried again with its first item, while other rows pass and its later items wait [locking]
  load a7 b7 a8 → >a7 a8
  end 0 LOCKED done → a8:done
  load c7 a9 → >a9
  end 1 → a9:1
  wait 2t → >a7
  end 2 LOCKED →
  wait 2t → >a7
  end 3 → a7:3, >b7
  end 4 → b7:4, >c7
  end 5 → c7:5
has one item in flight at a time, also while others have a place [locking concurrencyMax=3]
  load a7 b7 → >a7
  end 0 LOCKED →
  wait 10t → >a7
delays only its own items when each has a statement of its own [locking sizeMax=1 concurrencyMax=Infinity]
  load a7 b8 c9 → >a7, >b8, >c9
  end 0 LOCKED →
  end 1 → b8:1
  wait 2t → >a7
  load d7 e8 → >e8
  end 2 → c9:2
  end 3 → a7:3, >d7
  end 4 → e8:4
  end 5 → d7:5
gives its items up at their deadlines, and is forgotten [locking]
  load a7 b7 → >a7
  end 0 LOCKED →
  wait 500 → >a7
  end 1 LOCKED →
  wait 500 → a7:row-locked, b7:row-locked, >a7
  waiting → 0
  end 2 LOCKED →
  wait 2t →
  load c7 → >c7
  end 3 → c7:3
is reported at each try when it has been locked for a second [locking timeoutMs=3000]
  load a7 → >a7
  end 0 LOCKED →
  wait 960 → >a7
  end 1 LOCKED →
  wait 40 → >a7
  end 2 LOCKED → locked 7
that was given up is no reason any more for items that are late for want of a place [locking]
  load a7 → >a7
  end 0 LOCKED →
  load b8 → >b8
  wait 1000 → a7:row-locked, b8:timed-out
  load c7 →
  wait 1000 → c7:timed-out
lets its later items go on when the first one fails [locking]
  load a7 b7 → >a7
  end 0 LOCKED →
  wait 2t → >a7
  fail 1 broken → a7:database
  wait backoff → >b7
  end 2 → b7:2
`);

  it('leaves room for other rows, however many there are', async () => {
    const batcher = batcherOf(database.send, {
      ...{ isRead: false, keyOf: (item) => item.slice(1), locksRow: true, sizeMax: 8 },
    });
    const load = (item: string): void => void batcher.load(item).catch(() => undefined);
    for (let row = 0; row < 90; row += 1) load(`a${row}`);
    const endAllLocked = async (): Promise<void> => {
      const last = database.statements.at(-1);
      last?.end(last.items.map(() => LOCKED));
      await pass();
    };
    while (database.sent.length < 12) await endAllLocked();
    await endAllLocked();
    for (const other of ['b100', 'b101', 'b102']) {
      await pass(2 * TICK_MS);
      load(other);
      const before = database.sent.length;
      while (!database.sent.some((items) => items.includes(other))) await endAllLocked();
      // 32 rows are tried again at a tick, 8 in each statement, and two ticks have passed.
      expect(database.sent.length - before).toBeLessThanOrEqual((2 * 32) / 8 + 1);
    }
    const tried = database.sent.slice(12).join(' ').split(' ');
    expect(tried).toEqual(expect.arrayContaining(['a0', 'a40', 'a89']));
  });
});

const loadIn = (batcher: ReturnType<typeof batcherOf>, ...items: string[]): Promise<string>[] =>
  items.map((item) => settled(batcher.load(item)));

describe('batchers that share permits', () => {
  it('keep their items in the queue until there is one, and take turns', async () => {
    const permits = new Semaphore(1);
    const pets = batcherOf(database.send, { permits, concurrencyMax: 2 });
    const orders = batcherOf(database.send, { permits });
    const sentAfter = async (act: () => unknown): Promise<string | undefined> => {
      const before = database.sent.length;
      act();
      await pass();
      return database.sent.slice(before).join(', ');
    };
    const [first] = loadIn(pets, 'a');
    await pass();
    for (const [item, other] of ['bx', 'cy'])
      expect(await sentAfter(() => [...loadIn(pets, item ?? ''), ...loadIn(orders, other ?? '')])).toBe('');
    expect([pets.waiting, orders.waiting, permits.waiting]).toEqual([2, 2, 2]);
    expect(await sentAfter(() => database.statement(0).end())).toBe('b c');
    expect(await first).toBe('a in 0');
    void loadIn(pets, 'd');
    expect(await sentAfter(() => database.statement(1).fail(FAILURES.rejected()))).toBe('x y');
    expect(await sentAfter(() => database.statement(2).end())).toBe('d');
  });

  it('reject expired items without a permit, which goes to others', async () => {
    const permits = new Semaphore(1);
    permits.enter(() => undefined);
    const [late] = loadIn(batcherOf(database.send, { permits, timeoutMs: 100 }), 'a');
    void loadIn(batcherOf(database.send, { permits }), 'x');
    await pass(100);
    expect([await late, database.sent]).toEqual(['timed-out', []]);
    permits.leave();
    await pass();
    expect(database.sent).toEqual(['x']);
  });

  it('report statement time without the wait for a permit', async () => {
    const onStatement = jest.fn<(report: BatchReport) => void>();
    const permits = new Semaphore(1);
    const batcher = batcherOf(database.send, { permits, onStatement });
    permits.enter(() => undefined);
    void batcher.load('a');
    await pass(300);
    permits.leave();
    await pass(50);
    database.statement(0).end();
    await pass();
    const report = onStatement.mock.calls[0]?.[0];
    expect(report).toMatchObject({ durationMs: 50, items: [{ enqueuedAt: (report?.sentAt ?? 0) - 300 }] });
  });
});
