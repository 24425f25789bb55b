import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '../src/database/migrations.js';
import { findingsOf, petstoreOn } from './cli/support/petstore.js';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';
import { grantRoles, loginAs, type TestLogin } from './support/operator-roles.js';
import { startService, type TestService } from './support/service.js';

/** In Turkish, the small letter of I is ı, and the capital of i is İ. */
const TURKISH = `locale_provider icu icu_locale 'tr-TR' locale 'C'`;

let database: TestDatabase;
let operator: TestLogin;
let programs: TestLogin;
let service: TestService;

beforeAll(async () => {
  database = await createEmptyDatabase(TURKISH);
  await migrate({ connectionString: database.url });
  expect(await grantRoles(database.url, 'superuser')).toEqual([]);
  operator = await loginAs('petstore_operator', database.url);
  programs = await loginAs('petstore_service', database.url);
  service = await startService({ databaseUrl: database.url, prepare: () => Promise.resolve(programs.url) });
});
afterAll(async () => {
  await service.close();
  await database.drop();
  await operator.drop();
  await programs.drop();
});

describe('on a Turkish database', () => {
  it('operators issue and change keys, and the audit log has what they did', async () => {
    const petstore = petstoreOn(operator.url);
    for (const words of [
      ['keys', 'issue', '--name', 'INSIDE', '--plan', 'pro', '--customer', 'IKEA'],
      ['keys', 'set-limits', '1', '--per-minute', '7'],
      ['keys', 'rotate', '1', '--overlap', '1h'],
      ['keys', 'suspend', '1', '--for', '1h'],
      ['keys', 'resume', '1'],
      ['plans', 'create', 'initial', '--per-minute', '10', '--per-day', '100'],
      ['keys', 'set-plan', '1', 'initial'],
      ['keys', 'list', '--name', 'INS'],
      ['plans', 'list'],
      ['audit'],
    ]) {
      const { code, stderr } = await petstore(words);
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: expect.anything() });
    }
    const { rows } = await service.pool.query('select distinct action from audit_log order by 1');
    expect(rows).toEqual([{ action: 'insert' }, { action: 'update' }]);
  });

  it('pets, orders and categories are created, changed and deleted', async () => {
    const { key } = await service.issueKey();
    const send = async (method: string, path: string, body?: object): Promise<unknown> => {
      const response = await service.fetch(path, {
        ...{ method, key, headers: { 'content-type': 'application/json' } },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return [response.status, ((await response.json().catch(() => ({}))) as { code?: string }).code];
    };
    expect([
      await send('POST', '/v1/categories', { name: 'INSECTS' }),
      await send('POST', '/v1/categories', { name: 'insects' }),
      await send('POST', '/v1/pets', { name: 'ILIA', categoryId: 1, status: 'available' }),
      await send('POST', '/v1/store/orders', { petId: 1 }),
      await send('PATCH', '/v1/store/orders/1', { status: 'approved' }),
      await send('GET', '/v1/pets?status=pending'),
      await send('DELETE', '/v1/pets/1'),
      await send('GET', '/v1/store/inventory'),
      await send('GET', '/v1/usage'),
    ]).toEqual([
      [201, undefined],
      [409, 'category_exists'],
      [201, undefined],
      [201, undefined],
      [200, undefined],
      [200, undefined],
      [409, 'pet_has_open_order'],
      [200, undefined],
      [200, undefined],
    ]);
  });

  it('the doctor finds all as it should be', async () => {
    const { migrations, objects, rights, ids, bans } = await findingsOf(petstoreOn(database.url));
    const levels = [migrations, objects, rights, ids, bans].map((finding) => finding?.level);
    expect(levels).toEqual(Array(5).fill('ok'));
  });
});
