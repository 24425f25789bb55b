import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { tell } from './support/figures.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

/** Between the faults: long enough for every client to have written, and for counts to be on disk. */
const CALM_MS = 2000;
const KILLS = 4;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

describe('kill -9 of PostgreSQL, and its start', () => {
  it('loses nothing that was acknowledged, makes nothing twice, and heals without a restart', async () => {
    const { server } = stage;
    const load = await stage.load();
    const heals: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await delay(CALM_MS);
      await server.kill();
      await delay(500 * kill);
      await server.start();
      const back = performance.now();
      await delay(CALM_MS);
      heals.push(load.history.healedAfter(back));
    }
    await load.stop();

    const { lost, wrong, limits } = await stage.check();
    const { history } = load;
    await tell({
      fault: '`kill -9` of PostgreSQL, then start',
      injected: KILLS,
      requests: history.requests,
      wrong: wrong.length,
      lost: lost.length,
      healMs: Math.max(...heals),
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${history.count(({ status }) => status === 503)} got 503, ${limits.uncounted} counts missing`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(Math.max(...heals)).toBeLessThan(HEALED_MS);
    expect(limits.reached).toBeGreaterThan(0);
  });
});
