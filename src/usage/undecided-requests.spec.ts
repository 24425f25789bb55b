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
  it('looks up each secret once, and separates known keys from unknown ones', async () => {
    add(KNOWN);
    add(KNOWN);
    add(KNOWN, 'getPet');
    add('\\x02' as Secret);
    const count = { hourMs: 0, of: 7n, outcome: 'undecided', minutePeak: 0 };
    expect(await undecided.takeByKey()).toEqual([
      { ...count, operation: 'listPets', requests: 2, totalMs: 6 },
      { ...count, operation: 'getPet', requests: 1, totalMs: 3 },
    ]);
    expect(requested).toEqual([KNOWN, '\\x02']);
    expect([undecided.takeUnmatched(), undecided.takeUnmatched()]).toEqual([1, 0]);
    expect(await undecided.takeByKey()).toEqual([]);
  });

  it('keeps all while the database cannot identify them', async () => {
    failure = new Error('away');
    add(KNOWN);
    for (let tries = 0; tries < 3; tries += 1) await expect(undecided.takeByKey()).rejects.toBe(failure);
    failure = undefined;
    add(KNOWN);
    expect(await undecided.takeByKey()).toMatchObject([{ of: 7n, requests: 2 }]);
  });

  it('bounds its memory: overflow counts as unknown, and known secrets still count', async () => {
    add(KNOWN);
    for (let nth = 0; nth < 10_009; nth += 1) add(`\\x02${nth}` as Secret);
    add(KNOWN);
    expect(await undecided.takeByKey()).toMatchObject([{ of: 7n, requests: 2 }]);
    expect(requested).toHaveLength(10_000);
    expect(undecided.takeUnmatched()).toBe(10_009);
  });
});
