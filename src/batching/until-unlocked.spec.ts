import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FAILURES } from '../../test/support/fake-send.js';
import { LOCKED, LONG_LOCKED_MS, TICK_MS } from './batcher.js';
import { untilUnlocked } from './until-unlocked.js';

const runWith = (run: () => Promise<string | typeof LOCKED>, onLongLocked = (): void => undefined) =>
  untilUnlocked(run, { sendBefore: performance.now() + 1200, onLongLocked });

describe('a statement that is not batched', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['finds its row locked', () => Promise.resolve(LOCKED)],
    ['is not sent', () => Promise.reject(FAILURES['not-sent']())],
    ['is ended by a time-out of the server', () => Promise.reject(FAILURES['server-timeout']())],
  ])('is run again when it %s', async (_what, fail) => {
    const run = jest.fn<() => Promise<string | typeof LOCKED>>();
    run.mockImplementationOnce(fail).mockImplementationOnce(fail).mockResolvedValue('done');
    const result = runWith(run);
    await jest.advanceTimersByTimeAsync(2 * TICK_MS);
    expect(await result).toBe('done');
    expect(run).toHaveBeenCalledTimes(3);
  });

  it.each(['broken', 'statement-error', 'rejected', 'unexpected'] as const)(
    'is not run again after any other failure (%s)',
    async (failure) => {
      const error = FAILURES[failure]();
      const run = jest.fn<() => Promise<string>>().mockRejectedValue(error);
      await expect(runWith(run)).rejects.toBe(error);
      expect(run).toHaveBeenCalledTimes(1);
    },
  );

  it('is given up when its time is over, and reported before', async () => {
    const reports: number[] = [];
    const begunAt = performance.now();
    const result = runWith(
      () => Promise.resolve(LOCKED),
      () => void reports.push(performance.now() - begunAt),
    );
    const rejected = expect(result).rejects.toMatchObject({ reason: 'timed-out' });
    await jest.advanceTimersByTimeAsync(1200);
    await rejected;
    expect(reports[0]).toBeGreaterThanOrEqual(LONG_LOCKED_MS);
    expect(reports[0]).toBeLessThan(LONG_LOCKED_MS + 2 * TICK_MS);
  });
});
