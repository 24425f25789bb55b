import { describe, expect, it } from '@jest/globals';
import { exceededBy, type LimitWindow, rejectionOf } from './decision.js';

const window = (policy: 'minute' | 'day', remaining: number): LimitWindow => ({
  ...{ policy, remaining, limit: 5, windowSeconds: policy === 'day' ? 86_400 : 60 },
  resetAtMs: policy === 'day' ? 80_000_000 : 60_000,
});

describe('a key past its limits', () => {
  it.each([
    [0, 1, 'minute'],
    [1, 0, 'day'],
    // The one that resets last.
    [0, 0, 'day'],
  ] as const)(
    'with %d of the minute and %d of the day left is rejected by the %s',
    (ofMinute, ofDay, exceeded) => {
      const windows = [window('minute', ofMinute), window('day', ofDay)] as const;
      const decision = { state: 'limited', windows, caller: { keyId: 1n, planId: 'pro' } } as const;
      expect(exceededBy(decision)).toBe(exceeded);
      expect(rejectionOf(decision).message).toContain(
        `The key's 5 requests of this ${exceeded} are used up.`,
      );
    },
  );
});
