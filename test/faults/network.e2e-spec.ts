import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, tally } from '../support/ask.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { issueKeys } from '../support/issue-keys.js';
import { type Replica, startReplica } from '../support/replicas.js';
import { createTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';
import { openTestPool } from '../support/test-pool.js';

const CUTS = 30;

let database: TestDatabase;
let proxy: TcpProxy;
let replica: Replica;
let key: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  const operator = openTestPool(database.url);
  key = (await issueKeys(operator, 1, { perMinute: 1_000_000, perDay: 10_000_000 }))[0]?.key ?? '';
  await operator.end();
  replica = await startReplica({ databaseUrl: proxy.url });
});

afterEach(async () => {
  await proxy.close();
  await replica.stop();
  await database.drop();
});

describe('connections that are cut again and again, at any moment of their making', () => {
  it('are answered 200 or 503, never end the process, and all heals', async () => {
    const answers = [];
    for (let cut = 0; cut < CUTS; cut += 1) {
      answers.push(...Array.from({ length: 10 }, () => ask(replica.origin, { key })));
      // From a connection that is not open yet to one that answers.
      await delay(cut % 10);
      await proxy.mode(cut % 2 === 0 ? 'truncate' : 'cut');
      await delay(cut % 3);
      await proxy.mode('pass');
    }
    const { 200: good = 0, '503 service_unavailable': unavailable = 0 } = tally(await Promise.all(answers));
    expect(good + unavailable).toBe(10 * CUTS);
    await eventually(async () => expect(await ask(replica.origin, { key })).toMatchObject({ status: 200 }));
  });
});
