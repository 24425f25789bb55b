import { describe, expect, it } from '@jest/globals';
import { LONG_DEADLINES } from '../../test/support/deadlines.js';
import { Batching } from '../batching/batching.js';
import type { PrismaService } from '../prisma/prisma.service.js';
import { UsageRepository } from './usage.repository.js';

const DAYS = 31;

describe('UsageRepository', () => {
  it('reads the days of all keys that arrive together by one statement, and gives each key its own', async () => {
    const sent: unknown[][] = [];
    const prisma = {
      connections: { endsWithinMs: 0, state: { worked: () => undefined }, ...LONG_DEADLINES },
      read: (_statement: unknown, values: readonly [unknown, readonly string[]]) => {
        sent.push([...values]);
        const [, nows] = values;
        return Promise.resolve(
          nows.flatMap((_, nth) => Array.from({ length: DAYS }, (_day, ago) => ({ day: `${nth}-${ago}` }))),
        );
      },
    } as unknown as PrismaService;
    const usage = new UsageRepository(new Batching(prisma), prisma);
    const now = new Date('2026-11-20T12:00:00Z');
    const days = await Promise.all(
      [7n, 8n].map((keyId) => usage.days(keyId, now, performance.now() + 10_000)),
    );
    expect(days.map((one) => [one.length, one[0], one[DAYS - 1]])).toEqual([
      [DAYS, { day: '0-0' }, { day: '0-30' }],
      [DAYS, { day: '1-0' }, { day: '1-30' }],
    ]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.[1]).toEqual([now.toISOString(), now.toISOString()]);
  });
});
