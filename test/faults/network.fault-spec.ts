import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { tell } from './support/figures.js';
import type { MixedLoad } from './support/mixed-load.js';
import { residentMb } from './support/memory.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const CALM_MS = 2000;
const FAULT_MS = 3000;
const CUT_EVERY_MS = 200;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;
/** What three replicas may grow by: far less than what the requests of a fault would take if they were kept. */
const GROWTH_MAX_MB = 100;

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

interface NetworkFault {
  readonly fault: string;
  readonly injected: number;
  /** Makes the network fail for a while, and resolves when it is whole again. */
  readonly inject: () => Promise<void>;
}

const FAULTS: readonly NetworkFault[] = [
  {
    fault: 'network: black-holed for 3 s',
    injected: 1,
    inject: async () => {
      await stage.proxy.mode('black-hole');
      await delay(FAULT_MS);
      await stage.proxy.mode('pass');
    },
  },
  {
    fault: 'network: its responses alone lost for 3 s',
    injected: 1,
    inject: async () => {
      await stage.proxy.mode('mute');
      await delay(FAULT_MS);
      await stage.proxy.mode('pass');
    },
  },
  {
    fault: 'network: delayed by 500 ms for 5 s',
    injected: 1,
    inject: async () => {
      // There and back.
      stage.proxy.pace({ delayMs: 250 });
      await delay(5000);
      stage.proxy.pace({});
    },
  },
  {
    fault: 'network: dripping, 200 bytes each 10 ms, for 3 s',
    injected: 1,
    inject: async () => {
      stage.proxy.pace({ dripBytes: 200, dripMs: 10 });
      await delay(FAULT_MS);
      stage.proxy.pace({});
    },
  },
  {
    fault: 'network: cut every 200 ms for 4 s',
    injected: 20,
    inject: async () => {
      for (let cut = 1; cut <= 20; cut += 1) {
        await stage.proxy.mode('cut');
        await stage.proxy.mode('pass');
        await delay(CUT_EVERY_MS);
      }
    },
  },
  {
    fault: 'network: broken in the middle of a response, 20 times',
    injected: 20,
    inject: async () => {
      for (let cut = 1; cut <= 20; cut += 1) {
        await stage.proxy.mode('truncate');
        await delay(CUT_EVERY_MS / 2);
        await stage.proxy.mode('pass');
        await delay(CUT_EVERY_MS / 2);
      }
    },
  },
  {
    fault: 'network: half-open: every connection lost without a word, 3 times',
    injected: 3,
    inject: async () => {
      for (let loss = 1; loss <= 3; loss += 1) {
        await stage.proxy.mode('half-open');
        // The next loss finds the service well again.
        await delay(loss === 3 ? 0 : 2 * CALM_MS);
      }
      await stage.proxy.mode('pass');
    },
  },
];

describe('under mixed load on three replicas', () => {
  it.each(FAULTS)('$fault: nothing is lost or wrong, and all heals', async ({ fault, injected, inject }) => {
    const { replicas } = stage;
    await delay(CALM_MS);
    const before = await residentMb(replicas);
    await inject();
    const back = performance.now();
    await delay(CALM_MS);
    const grown = (await residentMb(replicas)) - before;
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const healMs = history.healedAfter(back);
    await tell({
      fault,
      injected,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      healMs,
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${history.count(({ status }) => status === 503)} got 503, ${Math.round(grown)} MB more`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(healMs).toBeLessThan(HEALED_MS);
    expect(grown).toBeLessThan(GROWTH_MAX_MB);
  });
});
