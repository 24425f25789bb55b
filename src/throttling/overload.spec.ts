import { describe, expect, it } from '@jest/globals';
import { Overload } from './load-shedding.js';

const BUSY = (): number => 1;
const RESTED = (): number => 0.5;

/** Long queues for as long as is still a burst. */
const STANDING: readonly number[] = Array.from({ length: 9 }, () => 400);

/** Asks with queues of these lengths, one each 250 ms, and tells which were refused. */
function refusedOf(overload: Overload, queues: readonly number[], fromMs = 0): readonly boolean[] {
  return queues.map((waiting, index) => overload.refuses(waiting, () => waiting, fromMs + 250 * index));
}

const many = (length: number, waiting: number): readonly number[] => Array.from({ length }, () => waiting);

/** One that has been overloaded from 2,000 ms on; `dice` are what its lots are drawn with. */
function overloaded(dice: () => number): Overload {
  const overload = new Overload(BUSY, dice);
  refusedOf(overload, STANDING);
  return overload;
}

describe('Overload', () => {
  it('lets a burst of thousands in', () => {
    const overload = new Overload(BUSY);
    for (let waiting = 0; waiting < 5000; waiting += 1)
      expect(overload.refuses(waiting, () => waiting, 0)).toBe(false);
    expect(refusedOf(overload, [4000, 3000, 50, 0], 250)).not.toContain(true);
  });

  it('begins when the queue was long and the event loop did not rest for two seconds', () => {
    expect(refusedOf(new Overload(BUSY), many(12, 400)).indexOf(true)).toBe(8);
  });

  it('begins, too, when the event loop rests and the queue for the database does not get short', () => {
    expect(refusedOf(new Overload(RESTED), many(12, 400)).indexOf(true)).toBe(8);
  });

  it('does not begin while either comes to rest again and again', () => {
    const inTurn = many(100, 300).map((waiting, index) => (index % 2 === 0 ? waiting : 400));
    expect(refusedOf(new Overload(RESTED), inTurn)).not.toContain(true);
    expect(refusedOf(new Overload(BUSY), many(100, 300))).not.toContain(true);
  });

  it('refuses the likelier the longer the queue is, and nobody for one that a statement takes', () => {
    let dice = 0.5;
    const overload = overloaded(() => dice);
    const refusedAt = (waiting: number): boolean => overload.refuses(waiting, () => waiting, 2100);
    expect([0, 32, 48, 49, 64].map(refusedAt)).toEqual([false, false, false, true, true]);
    dice = 0;
    expect([32, 33].map(refusedAt)).toEqual([false, true]);
    dice = 0.999;
    expect([63, 64].map(refusedAt)).toEqual([false, true]);
  });

  it('lets a request in that few are ahead of, however many wait', () => {
    const overload = overloaded(() => 0.5);
    expect(overload.refuses(5000, () => 1, 2100)).toBe(false);
  });

  it('goes on while one of twenty is refused, and ends when fewer are', () => {
    const overload = overloaded(() => 0.5);
    const ask = (refusals: number, nowMs: number): readonly boolean[] =>
      Array.from({ length: 100 }, (_, index) => {
        const waiting = index < refusals ? 64 : 10;
        return overload.refuses(waiting, () => waiting, nowMs);
      });
    expect(ask(5, 2300)).toContain(true);
    expect(ask(5, 2600)).toContain(true);
    expect(ask(4, 2900)).toContain(true);
    expect(refusedOf(overload, [200, 200, 200], 3200)).not.toContain(true);
  });

  it('begins anew after a silence', () => {
    const overload = overloaded(() => 0.5);
    expect(overload.refuses(5000, () => 5000, 2100)).toBe(true);
    expect(refusedOf(overload, many(12, 400), 5000).indexOf(true)).toBe(8);
  });
});
