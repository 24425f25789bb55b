import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Secret, UndecidedRequests } from './undecided-requests.js';

const KNOWN = '\\x01' as Secret;

let requested: readonly Secret[];
let failure: Error | undefined;
let undecided: UndecidedRequests;

beforeEach(() => {
  requested = [];
  failure = undefined;
  undecided = new UndecidedRequests((secrets) => {
    requested = secrets;
    return failure === undefined ? Promise.resolve(new Map([[KNOWN, 7n]])) : Promise.reject(failure);
  });
});

const add = (of: Secret, operation = 'listPets'): void =>
  undecided.add({ hourMs: 0, of, operation, outcome: 'undecided', requests: 1, totalMs: 3, minutePeak: 0 });

describe('UndecidedRequests', () => {
  it('requests the key of each secret once, and separates those of keys from those of none', async () => {
    add(KNOWN);
    add(KNOWN);
    add(KNOWN, 'getPet');
    add('\\x02' as Secret);
    const count = { hourMs: 0, of: 7n, outcome: 'undecided', minutePeak: 0 };
    expect(await undecided.takeThoseOfKeys()).toEqual([
      { ...count, operation: 'listPets', requests: 2, totalMs: 6 },
      { ...count, operation: 'getPet', requests: 1, totalMs: 3 },
    ]);
    expect(requested).toEqual([KNOWN, '\\x02']);
    expect([undecided.takeThoseOfNoKey(), undecided.takeThoseOfNoKey()]).toEqual([1, 0]);
    expect(await undecided.takeThoseOfKeys()).toEqual([]);
  });

  it('keeps all while the database cannot say whose they are', async () => {
    failure = new Error('away');
    add(KNOWN);
    for (let tries = 0; tries < 3; tries += 1)
      await expect(undecided.takeThoseOfKeys()).rejects.toBe(failure);
    failure = undefined;
    add(KNOWN);
    expect(await undecided.takeThoseOfKeys()).toMatchObject([{ of: 7n, requests: 2 }]);
  });

  it('bounds its memory: what has no room is counted as of no key, and known secrets go on', async () => {
    add(KNOWN);
    for (let nth = 0; nth < 10_009; nth += 1) add(`\\x02${nth}` as Secret);
    add(KNOWN);
    expect(await undecided.takeThoseOfKeys()).toMatchObject([{ of: 7n, requests: 2 }]);
    expect(requested).toHaveLength(10_000);
    expect(undecided.takeThoseOfNoKey()).toBe(10_009);
  });
});
