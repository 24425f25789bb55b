import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDelay, DELAY_MS } from './address-limiter.js';

/** Delays so many, and counts those that are over. */
function take(delay: () => Promise<void>, count: number): { readonly over: () => Promise<number> } {
  let over = 0;
  for (let taken = 0; taken < count; taken += 1) void delay().then(() => (over += 1));
  return {
    over: async () => {
      await jest.advanceTimersByTimeAsync(0);
      return over;
    },
  };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('delayed rejections', () => {
  it('vary in length, so that clients rejected together do not return together', async () => {
    const many = take(createDelay(1000), 1000);
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2 - 1);
    expect(await many.over()).toBe(0);
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2);
    expect(await many.over()).toBeGreaterThan(300);
    expect(await many.over()).toBeLessThan(700);
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2 + 1);
    expect(await many.over()).toBe(1000);
  });

  it('are bounded, and slots are reused', async () => {
    const delay = createDelay(2);
    for (let round = 1; round <= 2; round += 1) {
      const five = take(delay, 5);
      expect(await five.over()).toBe(3);
      await jest.advanceTimersByTimeAsync(DELAY_MS * 2);
      expect(await five.over()).toBe(5);
    }
  });
});
