import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../support/send.js';
import { startReplica } from '../support/replicas.js';
import { type Deployment, expectUnharmed, failUnderLoad, startDeployment } from './support/deployment.js';

jest.setTimeout(180_000);

let deployment: Deployment;
afterEach(() => deployment.close());

describe('a replica whose event loop stalls repeatedly', () => {
  it('responds correctly or with 503, exceeds no limit, and continues', async () => {
    deployment = await startDeployment();
    const { replicas } = deployment;
    const outcome = await failUnderLoad(deployment, async () => {
      for (let block = 0; block < 6; block += 1) {
        const pid = replicas[block % replicas.length]?.pid ?? 0;
        // Like an endless loop: no timer and no result of the database is handled.
        process.kill(pid, 'SIGSTOP');
        await delay(2000);
        process.kill(pid, 'SIGCONT');
        await delay(500);
      }
    });
    const also = `${outcome.limits.reached} limits reached`;
    await expectUnharmed('the event loop of a replica blocked for 2 s', outcome, { also });
  });
});

describe('kill -9 of a replica at any instant, and its start', () => {
  it('leaves others running: no limit is exceeded, no retry creates a second row', async () => {
    deployment = await startDeployment();
    const { replicas, proxy } = deployment;
    const outcome = await failUnderLoad(deployment, async (load) => {
      load.mayBreak = true;
      for (let kill = 0; kill < 8; kill += 1) {
        const victim = kill % replicas.length;
        await delay(500 + 500 * Math.random());
        const { pid = 0, port } = replicas[victim] ?? {};
        process.kill(pid, 'SIGKILL');
        await delay(200);
        const environment = { PORT: String(port) };
        replicas[victim] = await startReplica({ databaseUrl: proxy.url, environment });
      }
    });
    const { history, limits } = outcome;
    const also = `${history.count(({ status }) => status === 0)} without a response, ${limits.reached} limits reached`;
    await expectUnharmed('`kill -9` of a replica at any instant, then start', outcome, {
      also,
      heals: false,
    });
    expect(history.count(({ status }) => status === 503)).toBe(0);
  });
});

/** Debian's package `faketime`. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));

/** The wall clock is wrong from the start; time passes as it does. */
const wrongBy = (hours: string): Record<string, string> => ({
  LD_PRELOAD: LIBRARY ?? 'libfaketime.so.1',
  FAKETIME: hours,
  DONT_FAKE_MONOTONIC: '1',
});

/** The end of the present minute, or of the next one where a request comes at its end. */
function expectThisMinute(resetSeconds: number, sentAtMs: number): void {
  expect(resetSeconds - sentAtMs / 1000).toBeGreaterThan(-1);
  expect(resetSeconds - sentAtMs / 1000).toBeLessThanOrEqual(62);
}

describe('replicas whose clocks are an hour fast, an hour slow, and right', () => {
  it('report the correct reset from the first response, and keep limits by the database clock', async () => {
    deployment = await startDeployment({ environments: [wrongBy('+1h'), wrongBy('-1h'), {}] });
    for (const origin of deployment.origins) {
      const sentAtMs = Date.now();
      const { status, resetSeconds } = await send(origin);
      expect(status).toBe(401);
      expectThisMinute(resetSeconds, sentAtMs);
    }
    const { headers } = await fetch(deployment.origins[0] ?? '');
    const offMs = Date.parse(headers.get('date') ?? '') - Date.now();
    expect(Math.round(offMs / 3_600_000)).toBe(1);

    const outcome = await failUnderLoad(deployment, () => delay(2000));
    const { history, limits } = outcome;
    await expectUnharmed('the clocks of two replicas wrong by an hour, one fast and one slow', outcome, {
      heals: false,
      also: `${limits.reached} limits reached, every reset in its minute`,
    });
    for (const { resetSeconds, sentAt } of history.exchanges) {
      expectThisMinute(resetSeconds, performance.timeOrigin + sentAt);
    }
  });
});
