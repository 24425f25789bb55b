import { describe, expect, it } from '@jest/globals';
import { Overload } from './overload.js';

const BUSY = (): number => 1;
const RESTED = (): number => 0.5;

/** Long queues for as long as is still a burst. */
const FULL: readonly number[] = Array.from({ length: 8 }, () => 400);

/** Asks with queues of these lengths, one each 250 ms, and tells which were refused. */
function refusedOf(overload: Overload, queues: readonly number[], fromMs = 0): readonly boolean[] {
  return queues.map((waiting, index) => overload.refuses(waiting, fromMs + 250 * index));
}

describe('Overload', () => {
  it('lets a burst of thousands in', () => {
    const overload = new Overload(BUSY);
    for (let waiting = 0; waiting < 5000; waiting += 1) expect(overload.refuses(waiting, 0)).toBe(false);
    expect(refusedOf(overload, [4000, 50, 0], 250)).not.toContain(true);
  });

  it('refuses by lot, when the queue was long and the event loop did not rest for two seconds', () => {
    let dice = 0;
    const overload = new Overload(BUSY, () => dice);
    expect(refusedOf(overload, FULL)).not.toContain(true);
    // Half are let in at first, and nobody when the queue is long all the same.
    expect([20, 319, 320].map((waiting) => overload.refuses(waiting, 2000))).toEqual([false, false, true]);
    dice = 0.5;
    expect(overload.refuses(20, 2001)).toBe(true);
    expect(overload.refuses(15, 2002)).toBe(false);
  });

  it('does so, too, when the event loop rests and the queue for the database does not get short', () => {
    const overload = new Overload(RESTED);
    expect(refusedOf(overload, [...FULL, 400]).indexOf(true)).toBe(FULL.length);
  });

  it('refuses nobody while either comes to rest again and again', () => {
    const overload = new Overload(RESTED);
    const queues = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 300 : 400));
    expect(refusedOf(overload, queues)).not.toContain(true);
    expect(
      refusedOf(
        new Overload(BUSY),
        Array.from({ length: 100 }, () => 300),
      ),
    ).not.toContain(true);
  });

  it('lets ever less in while the queue stays long, ever more while it is short, and ends', () => {
    let dice = 0.45;
    const overload = new Overload(BUSY, () => dice);
    refusedOf(overload, FULL);
    expect(refusedOf(overload, [10, 319], 2000)).toEqual([false, false]);
    refusedOf(overload, [400, 400, 400], 2500);
    expect(overload.refuses(20, 3250)).toBe(true);
    dice = 0.99;
    expect(
      refusedOf(
        overload,
        Array.from({ length: 30 }, () => 10),
        1300,
      ).at(-1),
    ).toBe(false);
  });

  it('ends after a silence', () => {
    const overload = new Overload(BUSY);
    refusedOf(overload, FULL);
    expect(refusedOf(overload, [400, 400], 2000)).toEqual([true, true]);
    expect(overload.refuses(5000, 6000)).toBe(false);
  });
});
