import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hostname } from 'node:os';
import pg from 'pg';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { issueKeys, ROOMY } from './support/issue-keys.js';
import { send } from './support/send.js';
import { startService, type TestService } from './support/service.js';
import { createTcpProxy, type TcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';
import { unknownKey } from './support/unknown-keys.js';

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let operator: pg.Pool;
let keys: readonly { readonly id: bigint; readonly key: string }[];

beforeEach(async () => {
  database = await createTestDatabase();
  operator = openTestPool(database.url, { max: 2 });
  keys = await issueKeys(operator, 3, ROOMY);
  proxy = await createTcpProxy(database.url);
  service = await startService({ databaseUrl: proxy.url, provokes503: true });
});
afterEach(async () => {
  await proxy.close();
  await service.close();
  await operator.end();
  await database.drop();
});

const recorder = (): UsageRecorder => service.app.get(UsageRecorder);

/** Sends requests while the database is away, with a key or with a secret of no key. */
async function sendUndecided(requests: number, key: string, path = '/v1/pets'): Promise<void> {
  const responses = await Promise.all(
    Array.from({ length: requests }, () => send(service.origin, { key, path })),
  );
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
}

/** Ends the time without a database, which has lasted for longer than a second. The polls have a key of their own. */
async function comeBack(awaySince: number): Promise<void> {
  await eventually(() => expect(performance.now() - awaySince).toBeGreaterThan(1100));
  await proxy.mode('pass');
  await eventually(async () =>
    expect((await send(service.origin, { key: keys[2]?.key ?? '' })).status).toBe(200),
  );
}

const readHours = async (): Promise<string[]> => {
  const { rows } = await operator.query<{ row: string }>(
    `select concat_ws(' ', api_key_id, operation, sum(requests)) as row from api_key_usage_hours
     where outcome = 'undecided' and api_key_id <> 3 group by api_key_id, operation order by 1`,
  );
  return rows.map(({ row }) => row);
};

describe('requests without a decision', () => {
  it('are counted by key, hour and operation when the database is back, and say when it was away', async () => {
    const [first, second] = keys;
    // What is written is cut off to milliseconds, twice.
    const before = new Date(Date.now() - 2);
    await proxy.mode('close');
    await sendUndecided(40, first?.key ?? '');
    const awaySince = performance.now();
    await sendUndecided(7, first?.key ?? '', '/v1/store/orders');
    await sendUndecided(3, second?.key ?? '');
    await sendUndecided(5, unknownKey());
    await recorder().write();
    expect(recorder().problems()).toEqual(['The usage by hour cannot be written: see the log.']);
    expect((await send(service.origin)).status).toBe(401);
    await comeBack(awaySince);
    await recorder().write();
    expect(recorder().problems()).toEqual([]);
    expect(await readHours()).toEqual([
      `${first?.id} listOrders 7`,
      `${first?.id} listPets 40`,
      `${second?.id} listPets 3`,
    ]);
    const { rows: outages } = await operator.query(
      `select replica, undecided_of_no_key::int as undecided, ended_at - began_at >= interval '1 second' as lasted,
              began_at >= $1 and ended_at <= clock_timestamp() as meanwhile
       from database_outages`,
      [before],
    );
    expect(outages).toEqual([{ replica: hostname(), undecided: 5, lasted: true, meanwhile: true }]);
    const { rows: gaps } = await operator.query<{ without_database: string }>(
      'select without_database from usage_hours_gaps where without_database is not null',
    );
    expect(gaps[0]?.without_database).toMatch(/^\d\d:\d\d:\d\d to \d\d:\d\d:\d\d, /);
    const response = await service.fetch('/v1/usage', { key: first?.key ?? '' });
    expect(await response.text()).toContain('{"operation":"listPets","outcome":"undecided","requests":40}');
  });
});
