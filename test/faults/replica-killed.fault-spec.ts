import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { type Replica, startReplica } from '../support/replicas.js';
import { tell } from './support/figures.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(180_000);

const KILLS = 8;

let stage: Stage;
let replicas: Replica[];
beforeEach(async () => {
  stage = await openStage();
  replicas = [...stage.replicas];
});
afterEach(async () => {
  await Promise.allSettled(replicas.map((replica) => replica.stop()));
  await stage.close();
});

describe('kill -9 of a replica at any instant, and its start', () => {
  it('leaves the others going: no limit is exceeded, and no repeat makes a second row', async () => {
    const load = await stage.load();
    load.mayBreak = true;
    await delay(1000);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = kill % replicas.length;
      await delay(500 + 500 * Math.random());
      const port = String(replicas[victim]?.port);
      process.kill(replicas[victim]?.pid ?? 0, 'SIGKILL');
      await delay(200);
      const environment = { PORT: port };
      replicas[victim] = await startReplica({ databaseUrl: stage.proxy.url, environment });
    }
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    await tell({
      fault: '`kill -9` of a replica at any instant, then start',
      injected: KILLS,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      also: `${history.count(({ status }) => status === 0)} without a response, ${history.count(({ status }) => status === 503)} got 503, ${limits.reached} limits reached`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    // The others never refused anybody.
    expect(history.count(({ status }) => status === 503)).toBe(0);
  });
});
