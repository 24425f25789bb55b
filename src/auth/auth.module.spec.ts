import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { startService, type TestService } from '../../test/support/service.js';
import { Admission } from './admission/admission.js';
import { DatabaseClock } from './admission/clock.js';

const HOUR_MS = 3_600_000;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the clock of admission', () => {
  it('is the database’s before the first decision, also on a machine whose own is wrong by an hour', async () => {
    const trueMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(trueMs + HOUR_MS);
    const clock = await DatabaseClock.start(service.prisma);
    // A minute for a machine that has other things to do.
    expect(Math.abs(clock.nowMs() - trueMs)).toBeLessThan(60_000);
  });
});

describe('admission', () => {
  it('waits for no connection that reads and writes hold', async () => {
    const { prisma, config } = service;
    const { key } = await service.issueKey();
    const admission = service.app.get(Admission);
    const { max } = prisma.pools.main.options;
    const held: PoolClient[] = [];
    try {
      // One after another, and again: a machine that has other things to do may take longer for one than the pool waits.
      while (held.length < max) {
        const client = await prisma.pools.main.connect().catch(() => undefined);
        if (client !== undefined) held.push(client);
      }
      const decision = await admission.decide(
        { method: 'GET', headers: { authorization: `Bearer ${key}` } },
        '192.0.2.1',
      );
      expect(decision.rejection).toBeUndefined();
      // One is left for the probe that looks for lost connections.
      expect(prisma.pools.all.reduce((all, pool) => all + pool.options.max, 1)).toBe(config.database.poolMax);
    } finally {
      for (const client of held) client.release();
    }
  });
});
