import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Housekeeping } from './housekeeping.js';

/** What would keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

describe('Housekeeping', () => {
  const MINUTE_MS = 60_000;
  const errors: unknown[] = [];
  let runs: AbortSignal[] = [];

  beforeEach(() => {
    jest.useFakeTimers();
    runs = [];
    errors.length = 0;
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const retention = (random: number, outcome: () => Promise<unknown> = async () => 0): Housekeeping =>
    new Housekeeping({
      work: (signal) => {
        runs.push(signal);
        return outcome();
      },
      onError: (error) => errors.push(error),
      random: () => random,
      intervalMs: 60 * MINUTE_MS,
    });

  it('runs first within an interval, and then an interval apart, give or take half of one', async () => {
    const task = retention(0.25);
    task.start();
    await jest.advanceTimersByTimeAsync(15 * MINUTE_MS - 1);
    expect(runs).toHaveLength(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(45 * MINUTE_MS - 1);
    expect(runs).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
    await task.stop();
  });

  it('reports a run that fails, and tries again', async () => {
    const fault = new Error('no database');
    const task = retention(0.5, () => Promise.reject(fault));
    task.start();
    await jest.advanceTimersByTimeAsync(90 * MINUTE_MS);
    expect(errors).toEqual([fault, fault]);
    await task.stop();
  });

  it('never runs twice at once, however long it takes', async () => {
    const task = retention(0, () => new Promise((resolve) => setTimeout(resolve, 600 * MINUTE_MS)));
    task.start();
    await jest.advanceTimersByTimeAsync(599 * MINUTE_MS);
    expect(runs).toHaveLength(1);
  });

  it('asks a run to end when it is stopped, waits for it, and starts no other', async () => {
    const endings: ((value: unknown) => void)[] = [];
    const task = retention(0, () => new Promise((resolve) => endings.push(resolve)));
    task.start();
    await jest.advanceTimersByTimeAsync(0);
    let stopped = false;
    const stopping = task.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(0);
    expect([runs[0]?.aborted, stopped]).toEqual([true, false]);
    endings[0]?.(undefined);
    await stopping;
    await jest.advanceTimersByTimeAsync(600 * MINUTE_MS);
    expect(runs).toHaveLength(1);
  });

  it('does not keep the process alive', async () => {
    jest.useRealTimers();
    const before = timers();
    const task = retention(1);
    task.start();
    expect(timers()).toBe(before);
    await task.stop();
  });
});
