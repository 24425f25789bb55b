import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { migrate } from '../../src/prisma/migrations.js';
import { Housekeeping } from '../../src/lifecycle/housekeeping.js';
import { ask, tally } from '../support/ask.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueKeys, type TestKey } from '../support/issue-keys.js';
import { grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { startService, type TestService } from '../support/service.js';
import { changeOrder, orderInStatus, placeOrder } from '../support/store.js';
import { openTestPool } from '../support/test-pool.js';

let database: TestDatabase;
let owner: Pool;
let login: TestLogin;
let service: TestService;
let key: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  owner = openTestPool(database.url, { max: 2 });
  login = await loginAs('petstore_service', database.url);
  service = await startService({ databaseUrl: login.url });
  key = (await issueKey()).key;
});
afterAll(async () => {
  await service.close();
  await owner.end();
  await database.drop();
  await login.drop();
});

async function issueKey(perMinute = 10_000): Promise<TestKey> {
  const [issued] = await issueKeys(owner, 1, { perMinute, perDay: 10_000 });
  if (issued === undefined) throw new Error('no key was issued');
  return issued;
}

const post = (path: string, body: string, idempotencyKey: string): Promise<Response> =>
  service.fetch(path, {
    method: 'POST',
    key,
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
  });

describe('a service whose role is petstore_service', () => {
  it('starts on a database that its owner has migrated, and finds nothing to do', async () => {
    expect(await migrate({ connectionString: login.url })).toEqual([]);
  });

  it('adds, shows and lists animals, and repeats an answer', async () => {
    const first = await post('/v1/pets', '{"name":"Rex","categoryId":1,"status":"available"}', 'one');
    expect(first.status).toBe(201);
    const repeat = await post('/v1/pets', '{"name":"Rex","categoryId":1,"status":"available"}', 'one');
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(await repeat.text()).toBe(await first.text());
    expect((await service.fetch(first.headers.get('location') ?? '', { key })).status).toBe(200);
    expect((await service.fetch('/v1/pets?status=available', { key })).status).toBe(200);
  });

  it('takes orders through all their states, and counts the stock', async () => {
    const order = await orderInStatus(service, key, 'delivered');
    expect((await changeOrder(service, key, order.id, 'cancelled')).status).toBe(409);
    await orderInStatus(service, key, 'cancelled');
    expect((await placeOrder(service, key, 9_999n)).status).toBe(400);
    const inventory = await service.fetch('/v1/store/inventory', { key });
    expect(await inventory.json()).toMatchObject({ sold: 1 });
    expect((await service.fetch('/v1/store/orders?status=delivered', { key })).status).toBe(200);
  });

  it('counts, refuses and bans', async () => {
    const { id, key: small } = await issueKey(5);
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(service.origin, { key: small })));
    expect(Object.keys(tally(answers)).sort()).toEqual([
      '200',
      '429 api_key_banned',
      '429 rate_limit_exceeded',
    ]);
    const { rows } = await owner.query('select state from api_key_overview where id = $1', [id]);
    expect(rows).toEqual([{ state: 'banned' }]);
  });

  it('closes the day of a key, makes counters that are missing, and deletes old usage', async () => {
    const { id, key: other } = await issueKey();
    await owner.query(
      `update api_key_counters set day = current_date - 1000, minute = now() - interval '1000 days', day_admitted = 7
       where api_key_id = $1`,
      [id],
    );
    expect(tally([await ask(service.origin, { key: other })])).toEqual({ 200: 1 });
    const days = await owner.query('select admitted from api_key_usage where api_key_id = $1', [id]);
    expect(days.rows).toEqual([{ admitted: '7' }]);
    await service.app.get(Housekeeping, { strict: false }).run();
    const left = await owner.query('select from api_key_usage where api_key_id = $1', [id]);
    expect(left.rowCount).toBe(0);
    await owner.query('delete from api_key_counters where api_key_id = $1', [id]);
    expect(tally([await ask(service.origin, { key: other })])).toEqual({ 200: 1 });
  });
});
