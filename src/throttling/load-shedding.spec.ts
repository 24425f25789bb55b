import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DELAY_MS, shedLoad } from './load-shedding.js';

const group = {
  name: 'admission',
  waiting: 7,
  aheadOf: (question: string) => question.length,
  load: (question: string) => Promise.resolve(`${question}!`),
};

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a group unless it is overloaded', () => {
  it('is asked, with no more than a look at how many wait and are ahead', async () => {
    const looks: (readonly [waiting: number, ahead: number])[] = [];
    const refuses = (waiting: number, ahead: () => number): boolean => looks.push([waiting, ahead()]) < 0;
    await expect(shedLoad(group, { refuses }).load('who')).resolves.toBe('who!');
    expect(looks).toEqual([[7, 3]]);
  });

  it('refuses after a pause', async () => {
    let settled = 0;
    const refusal = shedLoad(group, { refuses: () => true }).load('who');
    refusal.catch(() => (settled += 1));
    await jest.advanceTimersByTimeAsync(DELAY_MS / 2 - 1);
    expect(settled).toBe(0);
    await jest.advanceTimersByTimeAsync(DELAY_MS);
    await expect(refusal).rejects.toMatchObject({ name: 'UnavailableError', reason: 'overloaded' });
  });
});
