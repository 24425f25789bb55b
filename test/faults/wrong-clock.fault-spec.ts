import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../support/ask.js';
import { tell } from './support/figures.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const LOAD_MS = 6000;

/** Debian's package `faketime`. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));

/** Its wall clock is wrong from the start; time passes as it does. */
const wrongBy = (hours: string): Record<string, string> => ({
  LD_PRELOAD: LIBRARY ?? 'libfaketime.so.1',
  FAKETIME: hours,
  DONT_FAKE_MONOTONIC: '1',
});

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ environments: [wrongBy('+1h'), wrongBy('-1h'), {}] });
});
afterAll(() => stage.close());

/** The end of the present minute, or of the next one when a request meets its edge. */
function expectThisMinute(resetSeconds: number, sentAtMs: number): void {
  expect(resetSeconds - sentAtMs / 1000).toBeGreaterThan(-1);
  expect(resetSeconds - sentAtMs / 1000).toBeLessThanOrEqual(62);
}

describe('replicas whose clocks are an hour fast, an hour slow, and right', () => {
  it('tell the right reset in their very first answer, which no database was asked for', async () => {
    for (const origin of stage.origins) {
      const sentAtMs = Date.now();
      const answer = await ask(origin);
      expect(answer.status).toBe(401);
      expectThisMinute(answer.resetSeconds, sentAtMs);
    }
  });

  it('keep every limit together, by the clock of the database', async () => {
    const [date] = await Promise.all(stage.origins.slice(0, 1).map((origin) => fetch(origin)));
    const offMs = Date.parse(date?.headers.get('date') ?? '') - Date.now();
    expect(Math.round(offMs / 3_600_000)).toBe(1);

    const load = await stage.load();
    await delay(LOAD_MS);
    await load.stop();
    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    await tell({
      fault: 'the clocks of two replicas wrong by an hour, one fast and one slow',
      injected: 2,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      also: `${limits.reached} limits reached, every reset in its minute`,
    });
    expect([...lost, ...wrong]).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    for (const { resetSeconds, sentAt } of history.exchanges) {
      expectThisMinute(resetSeconds, performance.timeOrigin + sentAt);
    }
  });
});
