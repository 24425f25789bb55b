import { describe, expect, it } from '@jest/globals';
import type { PrismaService } from '../prisma/prisma.service.js';
import { type AnyBatcher, Batching, BatchObserver } from './batching.js';
import type { StatementReport } from './group.js';

const prisma = { connections: { endsWithinMs: 0 } } as unknown as PrismaService;

class Observer extends BatchObserver {
  readonly batchers: AnyBatcher[] = [];
  readonly reports: StatementReport[] = [];
  context = 'none';
  override readonly contextOf = () => this.context;

  batcherMade(batcher: AnyBatcher): void {
    this.batchers.push(batcher);
  }

  statementEnded(report: StatementReport): void {
    this.reports.push(report);
  }
}

describe('Batching', () => {
  it('reports its batchers and their statements, with the context of each item', async () => {
    const observer = new Observer();
    const batcher = new Batching(prisma, observer).reads<number, number>({
      name: 'doubles',
      send: (items) => Promise.resolve(items.map((one) => one * 2)),
    });
    expect(observer.batchers).toEqual([batcher]);
    observer.context = 'first request';
    const first = batcher.ask(1);
    observer.context = 'second request';
    expect(await Promise.all([first, batcher.ask(2)])).toEqual([2, 4]);
    const [report] = observer.reports;
    expect(report).toMatchObject({ group: 'doubles', questions: 2, failure: undefined });
    expect(report?.asked.map(({ context }) => context)).toEqual(['first request', 'second request']);
    expect(report?.asked.every(({ askedAt }) => askedAt <= report.sentAt)).toBe(true);
  });

  it('settles earlier items and rejects later ones when it closes', async () => {
    const batching = new Batching(prisma);
    const batcher = batching.reads<string, string>({ name: 'echo', send: async (items) => items });
    const earlier = batcher.ask('before');
    const closed = batching.close();
    expect(await earlier).toBe('before');
    await closed;
    await expect(batcher.ask('after')).rejects.toMatchObject({ reason: 'closing' });
  });
});
