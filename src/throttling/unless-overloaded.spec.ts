import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PAUSE_MS } from './pauses.js';
import { unlessOverloaded } from './unless-overloaded.js';

const group = { name: 'admission', waiting: 7, ask: (question: string) => Promise.resolve(`${question}!`) };

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a group unless it is overloaded', () => {
  it('is asked, with no more than a look at how many wait', async () => {
    const looks: number[] = [];
    const refuses = (waiting: number): boolean => looks.push(waiting) < 0;
    await expect(unlessOverloaded(group, { refuses }).ask('who')).resolves.toBe('who!');
    expect(looks).toEqual([7]);
  });

  it('refuses after a pause', async () => {
    let settled = 0;
    const refusal = unlessOverloaded(group, { refuses: () => true }).ask('who');
    refusal.catch(() => (settled += 1));
    await jest.advanceTimersByTimeAsync(PAUSE_MS / 2 - 1);
    expect(settled).toBe(0);
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    await expect(refusal).rejects.toMatchObject({ name: 'UnavailableError', reason: 'overloaded' });
  });
});
