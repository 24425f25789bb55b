import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { tell } from './support/figures.js';
import { openStage, type Stage } from './support/stage.js';
import { awaitAbsentStandby, awaitNoStandby } from './support/synchronous-standby.js';

jest.setTimeout(180_000);

const CALM_MS = 2000;
const AWAY_MS = 60_000;
const LOOK_MS = 100;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;
/** What a replica has by default (DATABASE_POOL_MAX). */
const BUDGET = 10;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

async function sessions(): Promise<number> {
  const { rows } = await stage.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where application_name = 'petstore'`,
  );
  return rows[0]?.count ?? Number.NaN;
}

const isRead = (operation: string): boolean => /^(list|inventory|get-)/.test(operation);

describe('under mixed load on three replicas', () => {
  it('a synchronous standby is away: sessions stay within the budget, reads go on, and all heals', async () => {
    const fault = 'a synchronous standby does not respond for 60 s';
    const load = await stage.load();
    await delay(CALM_MS);
    const begunAt = performance.now();
    await awaitAbsentStandby(stage.server);
    let most = 0;
    while (performance.now() - begunAt < AWAY_MS) {
      most = Math.max(most, await sessions());
      await delay(LOOK_MS);
    }
    await awaitNoStandby(stage.server);
    const back = performance.now();
    await delay(CALM_MS);
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const isDuring = (sentAt: number): boolean => sentAt >= begunAt && sentAt < back;
    const reads = history.count(({ operation, sentAt }) => isRead(operation) && isDuring(sentAt));
    const rejectedReads = history.count(({ operation, status }) => isRead(operation) && status === 503);
    const rejected = history.count(({ status }) => status === 503);
    const healMs = history.healedAfter(back);
    await tell({
      fault,
      injected: 1,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      healMs,
      also: `at most ${most} sessions of ${3 * BUDGET}, ${rejectedReads} of ${reads} reads rejected, ${rejected} writes of unknown outcome, slowest response ${Math.round(history.slowestMs)} ms`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(most).toBeLessThanOrEqual(3 * BUDGET);
    expect(reads).toBeGreaterThan(0);
    expect(rejectedReads).toBe(0);
    expect(healMs).toBeLessThan(HEALED_MS);
  });
});
