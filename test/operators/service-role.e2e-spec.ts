import { afterAll, describe, expect, it } from '@jest/globals';
import { Housekeeping } from '../../src/lifecycle/housekeeping.js';
import { migrate } from '../../src/database/migrations.js';
import { send, tally } from '../support/send.js';
import { grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { changeOrder, orderInStatus, placeOrder } from '../support/store.js';
import { useService } from '../support/use-service.js';

let login: TestLogin;
const service = useService({
  prepare: async (databaseUrl) => {
    await grantRoles(databaseUrl, 'superuser');
    login = await loginAs('petstore_service', databaseUrl);
    return login.url;
  },
});
afterAll(() => login.drop());

describe('a service whose role is petstore_service', () => {
  it('starts on a database that its owner has migrated, and finds nothing to do', async () => {
    expect(await migrate({ connectionString: login.url })).toEqual([]);
  });

  it('creates, finds and lists pets, and repeats a response', async () => {
    const create = (): Promise<Response> =>
      service.post('/v1/pets', '{"name":"Rex","categoryId":1,"status":"available"}', {
        'idempotency-key': 'one',
      });
    const [first, repeat] = [await create(), await create()];
    expect([first.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await repeat.text()).toBe(await first.text());
    expect((await service.get(first.headers.get('location') ?? '')).status).toBe(200);
    expect((await service.get('/v1/pets?status=available')).status).toBe(200);
    const path = first.headers.get('location') ?? '';
    expect((await service.send('PATCH', path, '{"name":"Max"}')).status).toBe(200);
    expect((await service.fetch(path, { key: service.key, method: 'DELETE' })).status).toBe(204);
  });

  it('names categories, with numbers past those that pets use', async () => {
    await service.pool.query(
      `insert into pets (name, category_id) select 'Rex', n from generate_series(1, 200) as n`,
    );
    const response = await service.post('/v1/categories', '{"name":"Dogs"}');
    expect(response.status).toBe(201);
    const path = response.headers.get('location') ?? '';
    expect((await service.send('PUT', path, '{"name":"Hounds"}')).status).toBe(200);
    expect(await (await service.get('/v1/categories')).json()).toEqual([
      { id: expect.any(Number), name: 'Hounds' },
    ]);
    expect((await service.fetch(path, { key: service.key, method: 'DELETE' })).status).toBe(204);
  });

  it('takes orders through all their states, and counts the inventory', async () => {
    const order = await orderInStatus(service, 'delivered');
    expect((await changeOrder(service, order.id, 'cancelled')).status).toBe(409);
    await orderInStatus(service, 'cancelled');
    expect((await placeOrder(service, 9_999n)).status).toBe(400);
    expect(await (await service.get('/v1/store/inventory')).json()).toMatchObject({ sold: 1 });
    expect((await service.get('/v1/store/orders?status=delivered')).status).toBe(200);
  });

  it('counts, rejects and bans', async () => {
    const { id, key } = await service.issueKey({ perMinute: 5 });
    // Half of them lead to a ban: a minute may end meanwhile.
    const responses = await Promise.all(Array.from({ length: 80 }, () => send(service.origin, { key })));
    expect(Object.keys(tally(responses)).toSorted()).toEqual([
      '200',
      '429 api_key_banned',
      '429 rate_limit_exceeded',
    ]);
    const { rows } = await service.pool.query('select state from api_key_overview where id = $1', [id]);
    expect(rows).toEqual([{ state: 'banned' }]);
  });

  it('closes the day of a key, creates counters that are missing, and deletes old usage', async () => {
    const { id, key } = await service.issueKey();
    const { pool } = service;
    await pool.query(
      `update api_key_counters set day = current_date - 1000, minute = now() - interval '1000 days', day_admitted = 7
       where api_key_id = $1`,
      [id],
    );
    const usage = async (): Promise<unknown[]> =>
      (await pool.query('select admitted::int from api_key_usage where api_key_id = $1', [id])).rows;
    expect((await send(service.origin, { key })).status).toBe(200);
    expect(await usage()).toEqual([{ admitted: 7 }]);
    await service.app.get(Housekeeping, { strict: false }).run();
    expect(await usage()).toEqual([]);
    await pool.query('delete from api_key_counters where api_key_id = $1', [id]);
    expect((await send(service.origin, { key })).status).toBe(200);
  });
});
