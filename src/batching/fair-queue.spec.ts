import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FairQueue } from './fair-queue.js';

interface Item {
  readonly key: string;
  readonly number: number;
}

const queueOf = (keys: readonly string[]): FairQueue<Item> => {
  const queue = new FairQueue<Item>();
  for (const [number, key] of keys.entries()) queue.push(key, { key, number });
  return queue;
};

const keysOf = (items: readonly Item[]): string => items.map(({ key }) => key).join('');
const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });

describe('a fair queue', () => {
  it('serves another key next, however many items one key has', () => {
    const queue = queueOf(Array<string>(1000).fill('a'));
    queue.push('b', { key: 'b', number: 1000 });
    expect(keysOf(queue.take(3))).toBe('aba');
    expect(queue.length).toBe(998);
  });

  it('takes an item that was put back before the others of its key', () => {
    const queue = queueOf(Array.from('aab'));
    const [first] = queue.take(1) as [Item];
    queue.putBack('a', first);
    expect([queue.length, queue.has('a'), queue.has('c')]).toEqual([3, true, false]);
    expect(queue.take(3).map(({ number }) => number)).toEqual([2, 0, 1]);
  });

  it('returns each item once, those of one key in order, and the first of a key after one of each other', () => {
    fc.assert(
      fc.property(
        keys,
        fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1 }),
        fc.constantFrom('a', 'e'),
        (list, sizes, key) => {
          const queue = queueOf(list);
          const isFirst = !list.some((one) => one === key);
          const ahead = new Set(list).size;
          queue.push(key, { key, number: -1 });
          const taken: Item[] = [];
          for (let nth = 0; queue.length > 0; nth += 1)
            taken.push(...queue.take(sizes[nth % sizes.length] ?? 1));
          expect(taken).toHaveLength(list.length + 1);
          if (isFirst) expect(taken.findIndex(({ number }) => number === -1)).toBeLessThanOrEqual(ahead);
          for (const one of 'abcd') {
            const numbers = taken
              .filter((item) => item.key === one && item.number >= 0)
              .map(({ number }) => number);
            expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
            expect(numbers).toHaveLength(list.filter((other) => other === one).length);
          }
        },
      ),
    );
  });

  it('removes items that match, and keeps the rest in order', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 5 }), (list, divisor) => {
        const queue = queueOf(list);
        const isRemoved = ({ number }: Item): boolean => number % divisor === 0;
        queue.remove(isRemoved);
        const { length } = queue;
        const left = queue.take(list.length);
        const kept = list.filter((_, number) => number % divisor !== 0);
        expect([left.some(isRemoved), left.length, length]).toEqual([false, kept.length, kept.length]);
      }),
    );
  });
});
