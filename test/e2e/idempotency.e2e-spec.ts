import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Housekeeping } from '../../src/lifecycle/housekeeping.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let replica: TestService;
let key: string;

beforeAll(async () => {
  service = await startService({ provokes503: true });
  replica = await startService({ databaseUrl: service.databaseUrl, provokes503: true });
  ({ key } = await service.issueKey());
});
afterAll(async () => {
  await replica.close();
  await service.close();
});
beforeEach(async () => {
  await service.pool.query('truncate pets, idempotency_keys restart identity cascade');
});

const REX = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

const post = (
  idempotencyKey: string,
  { body = REX, apiKey = key, on = service }: { body?: string; apiKey?: string; on?: TestService } = {},
): Promise<Response> =>
  on.fetch('/v1/pets', {
    method: 'POST',
    key: apiKey,
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
  });

/** As clients must: a 503 leaves open whether there is a pet, and a repeat with the same key tells. */
async function postUntilKnown(...request: Parameters<typeof post>): Promise<Response> {
  for (;;) {
    const response = await post(...request);
    if (response.status !== 503) return response;
  }
}

const petsCount = async (): Promise<bigint> =>
  (await service.pool.query<{ count: bigint }>('select count(*) from pets')).rows[0]?.count ?? -1n;

describe('Idempotency-Key on POST /v1/pets', () => {
  it('answers a repeat with the first answer, to the byte, and says so', async () => {
    const first = await post('one');
    const repeat = await post('one', { on: replica });
    expect([first.status, repeat.status]).toEqual([201, 201]);
    expect(await repeat.text()).toBe(await first.text());
    expect(repeat.headers.get('location')).toBe(first.headers.get('location'));
    expect(repeat.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(repeat.headers.get('idempotency-replayed')).toBe('true');
    expect(await petsCount()).toBe(1n);
  });

  it('answers as it does without a key', async () => {
    const body = '{"name":"\\"\\\\\\u0007 🐕\\u2028","categoryId":-1}';
    const withKey = await (await post('form', { body })).text();
    const without = await (
      await service.fetch('/v1/pets', {
        method: 'POST',
        key,
        body,
        headers: { 'content-type': 'application/json' },
      })
    ).text();
    expect(withKey.replace(/"id":\d+/, '')).toBe(without.replace(/"id":\d+/, ''));
  });

  it('gives the first answer even when the animal has changed since', async () => {
    const first = await (await post('changed')).text();
    await service.pool.query(`update pets set name = 'Max', status = null`);
    expect(await (await post('changed')).text()).toBe(first);
  });

  it('makes one animal of fifty parallel repeats over two replicas', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        postUntilKnown('parallel', { on: n % 2 === 0 ? service : replica }),
      ),
    );
    const created = answers.filter(({ status }) => status === 201);
    const bodies = await Promise.all(created.map((answer) => answer.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(await petsCount()).toBe(1n);
    expect(await (await post('parallel')).text()).toBe(bodies[0]);
  });

  it('makes as many animals as there are keys, whatever arrives together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) =>
        postUntilKnown(`key-${n % 30}`, { on: n % 3 === 0 ? service : replica }),
      ),
    );
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(await petsCount()).toBe(30n);
  });

  it('refuses the key with another body, also while the first is under way', async () => {
    const answers = await Promise.all([post('reused'), post('reused', { body: REX.replace('Rex', 'Max') })]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 422]);
    const later = await post('reused', { body: REX.replace('sold', 'pending') });
    expect(await later.json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await petsCount()).toBe(1n);
  });

  it('keeps the keys of each API key apart', async () => {
    const { key: other } = await service.issueKey();
    await Promise.all([post('same'), post('same', { apiKey: other })]);
    expect(await petsCount()).toBe(2n);
  });

  it('answers 409 while another replica holds the claim, and serves the repeat afterwards', async () => {
    const client = await service.pool.connect();
    const { rows } = await client.query<{ id: bigint }>('select min(id) as id from api_keys');
    await client.query('begin');
    await client.query(`select pg_advisory_xact_lock(hashtextextended('held', $1))`, [rows[0]?.id]);
    const busy = await post('held');
    await client.query('rollback');
    client.release();
    expect(await busy.json()).toMatchObject({ code: 'request_in_progress', status: 409 });
    expect((await post('held')).status).toBe(201);
  });

  it('stores nothing for a refused request, which may be mended and repeated', async () => {
    expect((await post('mended', { body: '{"name":""}' })).status).toBe(400);
    expect((await post('mended')).status).toBe(201);
  });

  it('forgets after 24 hours, to the row', async () => {
    const first = (await (await post('old')).json()) as { id: number };
    await service.pool.query(`update idempotency_keys set expires_at = expires_at - interval '24 hours'`);
    const second = (await (await post('old', { body: REX.replace('Rex', 'Max') })).json()) as { id: number };
    expect(second.id).not.toBe(first.id);
    const { rows } = await service.pool.query<{ hours: number }>(
      `select extract(epoch from expires_at - now())::float8 / 3600 as hours from idempotency_keys`,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.hours).toBeCloseTo(24, 1);
  });

  it.each([
    ['k', '"k"'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['~!', '"~!"'],
  ])('takes %s and the structured string %s for the same key', async (plain, structured) => {
    await post(plain);
    expect((await post(structured)).headers.get('idempotency-replayed')).toBe('true');
  });

  it.each(['', '""', 'a b', '"a b"', 'é', 'x'.repeat(256), 'a, b'])('refuses the key %j', async (bad) => {
    const response = await post(bad);
    expect(await response.json()).toMatchObject({ code: 'invalid_idempotency_key', status: 400 });
    expect(await petsCount()).toBe(0n);
  });

  it('is deleted after 24 hours of the database’s clock', async () => {
    await postUntilKnown('kept');
    await postUntilKnown('expired');
    await service.pool.query(`update idempotency_keys set expires_at = now() where key = 'expired'`);
    await service.app.get(Housekeeping, { strict: false }).run();
    const { rows } = await service.pool.query('select key from idempotency_keys');
    expect(rows).toEqual([{ key: 'kept' }]);
  });
});
