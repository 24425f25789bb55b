import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

describe('a semaphore', () => {
  it('admits up to its limit, and queues the rest in arrival order', async () => {
    const semaphore = new Semaphore(2);
    const entered: number[] = [];
    const leave: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((number) =>
      semaphore.run(async () => {
        entered.push(number);
        await new Promise<void>((resolve) => leave.push(resolve));
      }),
    );
    await Promise.resolve();
    expect(entered).toEqual([0, 1]);
    leave[1]?.();
    await all[1];
    const late = semaphore.run(() => Promise.resolve(entered.push(4)));
    expect(entered).toEqual([0, 1, 2]);
    leave[0]?.();
    await all[0];
    leave[2]?.();
    leave[3]?.();
    await Promise.all([...all, late]);
    expect(entered).toEqual([0, 1, 2, 3, 4]);
  });

  it('rejects when its queue is full', async () => {
    const semaphore = new Semaphore(1);
    const leave: (() => void)[] = [];
    const first = semaphore.run(() => new Promise<void>((resolve) => leave.push(resolve)));
    const waiting = Array.from({ length: 5000 }, () => semaphore.run(() => Promise.resolve()));
    await expect(semaphore.run(() => Promise.resolve())).rejects.toMatchObject({ reason: 'overloaded' });
    leave[0]?.();
    await Promise.all([first, ...waiting]);
  });

  it('admits the next one when one fails, and rethrows the error', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('down')));
    const next = semaphore.run(() => Promise.resolve('up'));
    await expect(failing).rejects.toThrow('down');
    expect(await next).toBe('up');
  });
});
