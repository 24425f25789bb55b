import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { tell } from './support/figures.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const BLOCKS = 6;
const BLOCKED_MS = 2000;
const CALM_MS = 2000;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('a replica whose event loop stands still, again and again', () => {
  it('answers all that waited for it right or 503, exceeds no limit, and goes on', async () => {
    const load = await stage.load();
    await delay(CALM_MS);
    for (let block = 0; block < BLOCKS; block += 1) {
      const pid = stage.replicas[block % stage.replicas.length]?.pid ?? 0;
      // Like a loop that is never left: no timer and no answer of the database comes through.
      process.kill(pid, 'SIGSTOP');
      await delay(BLOCKED_MS);
      process.kill(pid, 'SIGCONT');
      await delay(CALM_MS / 4);
    }
    const back = performance.now();
    await delay(CALM_MS);
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const healMs = history.healedAfter(back);
    await tell({
      fault: 'the event loop of a replica blocked for 2 s',
      injected: BLOCKS,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      healMs,
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${history.count(({ status }) => status === 503)} got 503, ${limits.reached} limits reached`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(healMs).toBeLessThan(HEALED_MS);
  });
});
