import { describe, expect, it } from '@jest/globals';
import { Overload } from './overload.js';

const BUSY = (): number => 1;
const RESTED = (): number => 0.5;

/** Asks with queues of these lengths, one each 100 ms, and tells which were refused. */
function refusedOf(overload: Overload, queues: readonly number[], fromMs = 0): readonly boolean[] {
  return queues.map((waiting, index) => overload.refuses(waiting, fromMs + 100 * index));
}

describe('Overload', () => {
  it('lets a burst of thousands in', () => {
    const overload = new Overload(BUSY);
    for (let waiting = 0; waiting < 5000; waiting += 1) expect(overload.refuses(waiting, 0)).toBe(false);
    expect(refusedOf(overload, [4000, 3000, 1500, 50, 0], 100)).not.toContain(true);
  });

  it('refuses who makes the queue long, when that and the event loop did not rest for half a second', () => {
    const overload = new Overload(BUSY);
    expect(refusedOf(overload, [200, 200, 200, 200, 200])).not.toContain(true);
    expect([200, 63, 64].map((waiting) => overload.refuses(waiting, 500))).toEqual([true, false, true]);
  });

  it('does so, too, when the event loop rests and the queue for the database does not get short', () => {
    const overload = new Overload(RESTED);
    expect(refusedOf(overload, [200, 200, 200, 200, 200, 200])).toEqual([
      ...Array.from({ length: 5 }, () => false),
      true,
    ]);
  });

  it('refuses nobody while either comes to rest again and again', () => {
    const overload = new Overload(RESTED);
    const queues = Array.from({ length: 100 }, (_, index) => (index % 4 === 0 ? 100 : 200));
    expect(refusedOf(overload, queues)).not.toContain(true);
    expect(
      refusedOf(
        new Overload(BUSY),
        Array.from({ length: 100 }, () => 100),
      ),
    ).not.toContain(true);
  });

  it('ends when nobody had to be refused for a while, and after a silence', () => {
    const overload = new Overload(BUSY);
    refusedOf(overload, [200, 200, 200, 200, 200]);
    expect(refusedOf(overload, [200, 10, 10, 200], 500)).toEqual([true, false, false, false]);
    const other = new Overload(BUSY);
    refusedOf(other, [200, 200, 200, 200, 200]);
    expect(refusedOf(other, [200, 200], 500)).toEqual([true, true]);
    expect(other.refuses(5000, 5000)).toBe(false);
  });
});
