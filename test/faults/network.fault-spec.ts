import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../support/tcp-proxy.js';
import {
  type Deployment,
  expectUnharmed,
  failUnderLoad,
  residentMb,
  startDeployment,
} from './support/deployment.js';

jest.setTimeout(120_000);

const FAULT_MS = 3000;
/** The memory by which three replicas may grow: far less than what the requests of a failure would take if they were kept. */
const GROWTH_MAX_MB = 100;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(() => deployment.close());

interface NetworkFault {
  readonly fault: string;
  /** Resolves when the network works again. */
  readonly inject: (proxy: TcpProxy) => Promise<void>;
}

const modeFor =
  (mode: 'black-hole' | 'mute') =>
  async (proxy: TcpProxy): Promise<void> => {
    await proxy.mode(mode);
    await delay(FAULT_MS);
    await proxy.mode('pass');
  };

const paceFor =
  (pace: Parameters<TcpProxy['pace']>[0], ms: number) =>
  async (proxy: TcpProxy): Promise<void> => {
    proxy.pace(pace);
    await delay(ms);
    proxy.pace({});
  };

const FAULTS: readonly NetworkFault[] = [
  { fault: 'network: black-holed for 3 s', inject: modeFor('black-hole') },
  { fault: 'network: its responses alone lost for 3 s', inject: modeFor('mute') },
  // There and back.
  { fault: 'network: delayed by 500 ms for 5 s', inject: paceFor({ delayMs: 250 }, 5000) },
  {
    fault: 'network: dripping, 200 bytes each 10 ms, for 3 s',
    inject: paceFor({ dripBytes: 200, dripMs: 10 }, FAULT_MS),
  },
  {
    fault: 'network: cut every 200 ms for 4 s',
    inject: async (proxy) => {
      for (let cut = 1; cut <= 20; cut += 1) {
        await proxy.mode('cut');
        await proxy.mode('pass');
        await delay(200);
      }
    },
  },
  {
    fault: 'network: broken in the middle of a response, 20 times',
    inject: async (proxy) => {
      for (let cut = 1; cut <= 20; cut += 1) {
        await proxy.mode('truncate');
        await delay(100);
        await proxy.mode('pass');
        await delay(100);
      }
    },
  },
  {
    fault: 'network: half-open: every connection lost without a word, 3 times',
    inject: async (proxy) => {
      for (let loss = 1; loss <= 3; loss += 1) {
        await proxy.mode('half-open');
        // The next loss finds the service healed.
        await delay(loss === 3 ? 0 : 4000);
      }
      await proxy.mode('pass');
    },
  },
];

describe('under mixed load on three replicas', () => {
  it.each(FAULTS)('$fault: nothing is lost or wrong, and all heals', async ({ fault, inject }) => {
    const { proxy, replicas } = deployment;
    let before = 0;
    const outcome = await failUnderLoad(deployment, async () => {
      before = await residentMb(replicas);
      await inject(proxy);
    });
    const grown = (await residentMb(replicas)) - before;
    const also = `${Math.round(grown)} MB more`;
    await expectUnharmed(fault, outcome, { also });
    expect(grown).toBeLessThan(GROWTH_MAX_MB);
  });
});
