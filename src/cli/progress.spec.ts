import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CliContext } from './context.js';
import { bar, showProgress } from './progress.js';

let drawn: string[];
const on = (draw: ((text: string) => void) | undefined): CliContext =>
  ({ ...(draw && { draw }) }) as CliContext;

beforeEach(() => {
  jest.useFakeTimers();
  drawn = [];
});
afterEach(() => {
  jest.useRealTimers();
});

describe('showProgress', () => {
  it('shows nothing of what takes less than a second', () => {
    const progress = showProgress(
      on((text) => drawn.push(text)),
      () => 'working',
    );
    jest.advanceTimersByTime(999);
    progress.stop();
    jest.advanceTimersByTime(10_000);
    expect(drawn).toEqual([]);
  });

  it('tells again and again how far it is, and wipes it out at the end', () => {
    let done = 0;
    const progress = showProgress(
      on((text) => drawn.push(text)),
      () => `${(done += 1)} done`,
    );
    jest.advanceTimersByTime(1400);
    progress.stop();
    jest.advanceTimersByTime(10_000);
    const wipe = '\r\u001b[K';
    expect(drawn).toEqual([`${wipe}1 done`, `${wipe}2 done`, `${wipe}3 done`, wipe]);
  });

  it('leaves standard error alone that is no terminal', () => {
    const progress = showProgress(on(undefined), () => {
      throw new Error('nobody looks');
    });
    jest.advanceTimersByTime(10_000);
    progress.stop();
  });
});

describe('bar', () => {
  it.each([
    [0, 10, '[........................]   0%'],
    [5, 10, '[############............]  50%'],
    [9.99, 10, '[#######################.]  99%'],
    [12, 10, '[########################] 100%'],
    [0, 0, '[########################] 100%'],
  ])('of %d of %d is %s', (done, total, wanted) => {
    expect(bar(done, total)).toBe(wanted);
  });
});
