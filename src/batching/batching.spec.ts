import { describe, expect, it } from '@jest/globals';
import type { PrismaService } from '../prisma/prisma.service.js';
import { type AnyBatcher, Batching, BatchObserver } from './batching.js';
import type { BatchReport } from './batcher.js';

const prisma = { connections: { endsWithinMs: 0 } } as unknown as PrismaService;

class Observer extends BatchObserver {
  readonly batchers: AnyBatcher[] = [];
  readonly reports: BatchReport[] = [];
  context = 'none';
  override readonly contextOf = () => this.context;

  batcherMade(batcher: AnyBatcher): void {
    this.batchers.push(batcher);
  }

  statementEnded(report: BatchReport): void {
    this.reports.push(report);
  }
}

describe('Batching', () => {
  it('reports its batchers and their statements, with the context of each item', async () => {
    const observer = new Observer();
    const batcher = new Batching(prisma, observer).batchReads<number, number>({
      name: 'doubles',
      send: (items) => Promise.resolve(items.map((one) => one * 2)),
    });
    expect(observer.batchers).toEqual([batcher]);
    observer.context = 'first request';
    const first = batcher.load(1);
    observer.context = 'second request';
    expect(await Promise.all([first, batcher.load(2)])).toEqual([2, 4]);
    const [report] = observer.reports;
    expect(report).toMatchObject({ batcher: 'doubles', failure: undefined });
    expect(report?.items.map(({ context }) => context)).toEqual(['first request', 'second request']);
    expect(report?.items.every(({ enqueuedAt }) => enqueuedAt <= report.sentAt)).toBe(true);
  });

  it('settles earlier items and rejects later ones when it closes', async () => {
    const batching = new Batching(prisma);
    const batcher = batching.batchReads<string, string>({ name: 'echo', send: async (items) => items });
    const earlier = batcher.load('before');
    const closed = batching.onApplicationShutdown();
    expect(await earlier).toBe('before');
    await closed;
    await expect(batcher.load('after')).rejects.toMatchObject({ reason: 'closing' });
  });
});
