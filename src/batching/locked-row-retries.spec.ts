import { describe, expect, it } from '@jest/globals';
import { FakeTimers, failures, outcomeOf, outcomes, settled } from '../../test/support/fake-group.js';
import { SWEEP_MS } from './group.js';
import { LOCKED, type Patience } from './locked-row-line.js';
import { LockedRowRetries } from './locked-row-retries.js';

/** An item of a row; its text is what tells it from others of the row. */
interface Item {
  readonly row: bigint;
  readonly text: string;
}

interface Retry {
  readonly items: readonly string[];
  readonly patience: Patience;
  /** Ends the statement: each item gets `done`, or those at the given places are locked. */
  end(lockedAt?: readonly number[]): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const TIMEOUT_MS = 1000;

const lockTimeout = (): Error =>
  Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03', severity: 'ERROR' });

/** Retries of items that all find their row locked at first, unless they are free. */
function fakeRetries({ connections = 2, waitingMax = 100 } = {}) {
  const timers = new FakeTimers();
  const retries: Retry[] = [];
  const firsts: string[] = [];
  let connectionError: Error | undefined;
  const lockedRows = new LockedRowRetries<Item, string>({
    name: 'test',
    rowOf: ({ row }) => row,
    first: ({ text }) => {
      firsts.push(text);
      return Promise.resolve(text.startsWith('free') ? `${text} at first` : LOCKED);
    },
    retry: (_rows, items, patience) =>
      new Promise((resolve, reject) => {
        retries.push({
          items: items.map(({ text }) => text),
          patience,
          end: (lockedAt = []) => {
            resolve(items.map(({ text }, i) => (lockedAt.includes(i) ? LOCKED : `${text} retried`)));
            return settled();
          },
          fail: (error) => {
            reject(error);
            return settled();
          },
        });
      }),
    onConnection: (work) =>
      connectionError === undefined
        ? work(() => Promise.reject(new Error('no row is read here')))
        : Promise.reject(connectionError),
    connections,
    sizeMax: 3,
    waitingMax,
    timeoutMs: TIMEOUT_MS,
    endsWithinMs: 100,
    timers,
  });
  return {
    timers,
    lockedRows,
    /** What was sent first, with a batch. */
    firsts,
    /** The statements that wait for a row, in the order in which they were sent. */
    retries,
    retry: (number: number): Retry => {
      const retry = retries[number];
      if (retry === undefined) throw new Error(`there is no retry ${number}`);
      return retry;
    },
    get sent() {
      return retries.map(({ items }) => items);
    },
    refuseConnections: (error: Error | undefined) => void (connectionError = error),
    run: async (row: bigint, text: string) => {
      const outcome = outcomeOf(lockedRows.run({ row, text }));
      await settled();
      return outcome;
    },
  };
}

describe('retries of locked rows', () => {
  it('are not for items whose row is free', async () => {
    const fake = fakeRetries();
    expect(await (await fake.run(1n, 'free'))()).toBe('free at first');
    expect(fake.sent).toEqual([]);
  });

  it('put items of one row into one statement, those that arrive meanwhile behind the earlier ones', async () => {
    const fake = fakeRetries();
    const first = await fake.run(1n, 'a');
    const others = [await fake.run(1n, 'b'), await fake.run(1n, 'free c')];
    expect(fake.sent).toEqual([['a']]);
    await fake.retry(0).fail(lockTimeout());
    expect(fake.sent).toEqual([['a'], ['a', 'b', 'free c']]);
    await fake.retry(1).end();
    expect(await outcomes([first, ...others])).toEqual(['a retried', 'b retried', 'free c retried']);
    // Nothing waits for the row any more: the next one goes with its batch again.
    expect(await (await fake.run(1n, 'free d'))()).toBe('free d at first');
    expect(fake.firsts).toEqual(['a', 'free d']);
  });

  it('send the earliest items of a row first, also when a later one found the row locked before', async () => {
    const fake = fakeRetries();
    await fake.timers.pass(10);
    const later = outcomeOf(fake.lockedRows.run({ row: 1n, text: 'later' }, undefined, 10));
    await settled();
    const earlier = outcomeOf(fake.lockedRows.run({ row: 1n, text: 'earlier' }, undefined, 5));
    await settled();
    await fake.retry(0).fail(lockTimeout());
    expect(fake.sent).toEqual([['later'], ['earlier', 'later']]);
    await fake.retry(1).end();
    expect(await outcomes([earlier, later])).toEqual(['earlier retried', 'later retried']);
  });

  it('are at most as many as there are connections', async () => {
    const fake = fakeRetries();
    for (const row of [1n, 2n, 3n]) await fake.run(row, `held ${row}`);
    expect(fake.sent).toEqual([['held 1'], ['held 2']]);
    await fake.retry(0).end();
    expect(fake.sent.slice(2)).toEqual([['held 3']]);
  });

  it('give every second turn to the row that was tried least, and the others to all of them in turn', async () => {
    const fake = fakeRetries({ connections: 1 });
    const held = [1n, 2n, 3n, 4n];
    for (const row of held) await fake.run(row, `held ${row}`);
    for (let turn = 0; turn < 12; turn += 1) await fake.retry(turn).fail(lockTimeout());
    await fake.run(5n, 'new');
    const from = fake.sent.length;
    for (let turn = from - 1; turn < from + 8; turn += 1) await fake.retry(turn).fail(lockTimeout());
    const turns = fake.sent.slice(from, from + 8).flat();
    expect(turns.slice(0, 2)).toContain('new');
    expect(turns.filter((text) => text === 'new').length).toBeGreaterThanOrEqual(4);
    expect(new Set(turns)).toEqual(new Set(['new', ...held.map((row) => `held ${row}`)]));
  });

  it('share the time of a turn among the rows that wait', async () => {
    const fake = fakeRetries();
    await fake.run(1n, 'a');
    expect(fake.retry(0).patience).toEqual({ lockTimeoutMs: 200, itemMs: [900] });
    for (let row = 2n; row <= 10n; row += 1n) await fake.run(row, 'held');
    await fake.retry(0).fail(lockTimeout());
    expect(fake.retries.at(-1)?.patience.lockTimeoutMs).toBe(40);
  });

  it('reject an item with an UnavailableError at its deadline, and go on with the others of its row', async () => {
    const fake = fakeRetries();
    const first = await fake.run(1n, 'a');
    await fake.timers.pass(500);
    const second = await fake.run(1n, 'b');
    await fake.timers.pass(500 - SWEEP_MS);
    expect(await outcomes([first, second])).toEqual(['open', 'open']);
    await fake.timers.pass(SWEEP_MS);
    expect(await outcomes([first, second])).toEqual(['timed-out', 'open']);
    await fake.retry(0).fail(lockTimeout());
    expect(fake.sent).toEqual([['a'], ['b']]);
    await fake.retry(1).end();
    expect(await second()).toBe('b retried');
  });

  it('send no item whose time is too short for a statement', async () => {
    const fake = fakeRetries();
    const late = await fake.run(1n, 'a');
    await fake.timers.pass(850);
    expect(fake.retry(0).patience.itemMs).toEqual([900]);
    await fake.retry(0).fail(lockTimeout());
    expect(fake.retries.at(-1)?.patience).toEqual({ lockTimeoutMs: 50, itemMs: [50] });
    await fake.timers.pass(50);
    await fake.retry(1).fail(lockTimeout());
    expect(fake.sent).toHaveLength(2);
    expect(await late()).toBe('timed-out');
  });

  it('stop looking at the time when nothing waits', async () => {
    const fake = fakeRetries();
    await fake.run(1n, 'a');
    await fake.retry(0).end();
    await fake.timers.pass(SWEEP_MS);
    expect(fake.timers.running).toBe(0);
    expect(fake.lockedRows.waiting).toBe(0);
  });

  it('try items again that are locked still, or that no connection was there for', async () => {
    const fake = fakeRetries();
    fake.refuseConnections(failures.notSent());
    const item = await fake.run(1n, 'a');
    await fake.timers.pass(100);
    expect(fake.sent).toEqual([]);
    fake.refuseConnections(undefined);
    await fake.timers.pass(100);
    expect(fake.sent).toEqual([['a']]);
    await fake.retry(0).end([0]);
    await fake.retry(1).end();
    expect(await item()).toBe('a retried');
  });

  it('reject all items of a statement whose outcome is unknown', async () => {
    const fake = fakeRetries();
    const item = await fake.run(1n, 'a');
    await fake.retry(0).fail(failures.broken());
    expect(await item()).toBe('database');
    await fake.timers.pass(TIMEOUT_MS);
    expect(fake.sent).toHaveLength(1);
  });

  it('take no more items than may wait, and none when they are closing', async () => {
    const fake = fakeRetries({ waitingMax: 1 });
    const first = await fake.run(1n, 'a');
    expect(await (await fake.run(2n, 'b'))()).toBe('overloaded');
    const closed = fake.lockedRows.close();
    expect(await (await fake.run(1n, 'c'))()).toBe('closing');
    await fake.retry(0).end();
    await closed;
    expect(await first()).toBe('a retried');
  });
});
