import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { holdOpen } from '../support/operators.js';
import { tell } from './support/figures.js';
import type { MixedLoad } from './support/mixed-load.js';
import { openStage, type Stage } from './support/stage.js';
import { awaitAbsentStandby, awaitNoStandby } from './support/synchronous-standby.js';

jest.setTimeout(120_000);

const CALM_MS = 2000;
const STALL_MS = 1000;
/** Each finds other statements under way. */
const STALLS = 5;

let stage: Stage;
let load: MixedLoad;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  load = await stage.load();
});
afterEach(() => load.stop());

const lockFor =
  (table: string): (() => Promise<void>) =>
  async () => {
    const held = await holdOpen(stage.server.url, `lock table ${table}`, []);
    await delay(STALL_MS);
    await held.stop();
  };

const STALLING: readonly { readonly fault: string; readonly stall: () => Promise<void> }[] = [
  {
    fault: 'stall: commits wait for 1 s, 5 times',
    stall: async () => {
      await awaitAbsentStandby(stage.server);
      await delay(STALL_MS);
      await awaitNoStandby(stage.server);
    },
  },
  { fault: 'stall: `lock table pets` for 1 s, 5 times', stall: lockFor('pets') },
  { fault: 'stall: `lock table orders` for 1 s, 5 times', stall: lockFor('orders') },
];

describe('under mixed load of 64 connections on three replicas', () => {
  it.each(STALLING)('$fault: no request is rejected', async ({ fault, stall }) => {
    await delay(CALM_MS);
    for (let time = 1; time <= STALLS; time += 1) {
      await stall();
      await delay(CALM_MS);
    }
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const rejected = history.count(({ status }) => status === 503);
    await tell({
      fault,
      injected: STALLS,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${rejected} rejected with 503`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(rejected).toBe(0);
  });
});
