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

  it.each([
    ['limited', 1, 1000, "The key's one request of this minute is used up. Try again in 59 seconds."],
    ['limited', 3, 59_000, "The key's 3 requests of this minute are used up. Try again in 1 second."],
    ['banned', 3, 0, 'The API key is banned: it ignored 429 responses. Try again in 60 seconds.'],
  ] as const)(
    'has a message with the limit and the wait: %s, %d, at %d ms',
    (state, limit, nowMs, message) => {
      const windows = [{ ...window('minute', 0), limit }, window('day', 9)] as const;
      const caller = { keyId: 1n, planId: 'pro' };
      expect(rejectionOf({ state, windows, caller, nowMs }).message).toBe(message);
    },
  );
});
