import { describe, expect, it, jest } from '@jest/globals';
import { Clock } from '../src/auth/admission/clock.js';
import { eventually } from './support/eventually.js';
import { holdOpen } from './support/operators.js';
import { processTimeMs } from './support/process-time.js';
import type { TestService } from './support/service.js';
import { addPet, petStatus } from './support/store.js';
import { useReplicas, useService } from './support/use-service.js';

const service = useService();
const HOUR_MS = 3_600_000;
const replicas = useReplicas(service, 1);

interface Sending {
  readonly body: string;
  readonly path?: string;
  readonly apiKey?: string;
  /** The first service unless another one is given. */
  readonly by?: TestService | undefined;
}

const REX = '{"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';
const PATHS = ['/v1/pets', '/v1/store/orders'] as const;
type Path = (typeof PATHS)[number];

/** A request with an Idempotency-Key. */
function send(
  idempotencyKey: string,
  { body, path = '/v1/pets', apiKey, by = service }: Sending,
): Promise<Response> {
  return by.fetch(path, {
    method: 'POST',
    key: apiKey ?? service.key,
    body,
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
  });
}

/** A body that succeeds, each time for another record. */
const bodyFor = async (path: Path): Promise<string> =>
  path === '/v1/pets' ? REX : `{"petId":${await addPet(service)}}`;

async function countOf(table: string): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  return rows[0]?.count ?? Number.NaN;
}
const records = (path: Path): Promise<number> => countOf(path === '/v1/pets' ? 'pets' : 'orders');

const errorOf = async (response: Response): Promise<unknown> => await response.json();

describe.each(PATHS)('an Idempotency-Key on POST %s', (path) => {
  it('returns the first response to a retry, byte for byte, on each replica, despite later changes', async () => {
    const body = await bodyFor(path);
    const before = await records(path);
    const first = await send(`first${path}`, { path, body });
    await service.pool.query(`update pets set name = 'Max'`);
    const repeat = await send(`first${path}`, { path, body, by: replicas[0] });
    expect([first.status, repeat.status]).toEqual([201, 201]);
    expect(await repeat.text()).toBe(await first.text());
    for (const name of ['location', 'content-type', 'etag']) {
      expect(repeat.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await records(path)).toBe(before + 1);
  });

  it('returns the stored response to twenty concurrent retries', async () => {
    const body = await bodyFor(path);
    const first = await (await send(`stored${path}`, { path, body })).text();
    const repeats = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(`stored${path}`, { path, body, by: replicas[n % 2] })),
    );
    expect(await Promise.all(repeats.map((repeat) => repeat.text()))).toEqual(Array(20).fill(first));
    const others = await Promise.all(
      Array.from({ length: 5 }, () => send(`stored${path}`, { path, body: `${body} ` })),
    );
    expect(others.map(({ status }) => status)).toEqual(Array(5).fill(422));
  });

  it('makes one record of fifty repeats at once over two replicas', async () => {
    const body = await bodyFor(path);
    const before = await records(path);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => send(`many${path}`, { path, body, by: replicas[n % 2] })),
    );
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(await Promise.all(created.map((response) => response.text()))).size).toBe(1);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(await errorOf(response)).toMatchObject({ code: 'request_in_progress' });
    }
    expect(await records(path)).toBe(before + 1);
  });

  it('cannot be used for another body, also while the first request is in progress', async () => {
    const [body, other] = [await bodyFor(path), (await bodyFor(path)).replace('Rex', 'Max')];
    const before = await records(path);
    const sent = [body, other].map((one) => send(`reused${path}`, { path, body: one }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect([
      [201, 409],
      [201, 422],
    ]).toContainEqual(statuses.toSorted((a, b) => a - b));
    const later = await send(`reused${path}`, { path, body: `${other} ` });
    expect(await errorOf(later)).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
    expect(await records(path)).toBe(before + 1);
  });

  it('that another session holds is 409; the repeat afterwards succeeds', async () => {
    const body = await bodyFor(path);
    const lock = `select pg_advisory_xact_lock(hashtextextended($1, $2))`;
    const holder = await holdOpen(service.databaseUrl, lock, [`held${path}`, service.keyId]);
    const busy = await send(`held${path}`, { path, body });
    await holder.stop();
    expect(await errorOf(busy)).toMatchObject({ code: 'request_in_progress', status: 409 });
    expect((await send(`held${path}`, { path, body })).status).toBe(201);
  });
});

describe('a repeat whose target has another form', () => {
  it('still counts as a retry', async () => {
    const first = await send('other-form', { body: REX });
    const repeat = await send('other-form', { body: REX, path: '/v1/%70ets' });
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(await repeat.text()).toBe(await first.text());
  });
});

describe('an Idempotency-Key', () => {
  it('creates one record per key, whatever arrives concurrently', async () => {
    const before = await countOf('pets');
    const responses = await Promise.all(
      Array.from({ length: 90 }, (_, n) => send(`key-${n % 30}`, { body: REX, by: replicas[n % 3] })),
    );
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(await countOf('pets')).toBe(before + 30);
  });

  it('is scoped to an API key', async () => {
    const before = await countOf('pets');
    const { key: apiKey } = await service.issueKey();
    await Promise.all([send('same', { body: REX }), send('same', { body: REX, apiKey })]);
    expect(await countOf('pets')).toBe(before + 2);
  });

  it('does not alter the response', async () => {
    const body = '{"name":"\\"\\\\\\u0007 🐕\\u2028","categoryId":-1}';
    const [withKey, without] = [await send('form', { body }), await service.post('/v1/pets', body)];
    expect((await withKey.text()).replace(/"id":\d+/, '')).toBe(
      (await without.text()).replace(/"id":\d+/, ''),
    );
  });

  it('is not stored for an error: the request may be fixed and retried', async () => {
    expect((await send('corrected', { body: '{"name":""}' })).status).toBe(400);
    expect((await send('corrected', { body: REX })).status).toBe(201);
    const path = '/v1/store/orders';
    const petId = await addPet(service, 'sold');
    expect(await errorOf(await send('later', { path, body: `{"petId":${petId}}` }))).toMatchObject({
      code: 'pet_not_available',
    });
    expect(await errorOf(await send('later', { path, body: '{"petId":-1}' }))).toMatchObject({
      code: 'unknown_pet',
    });
    await service.pool.query(`update pets set status = 'available' where id = $1`, [petId]);
    expect((await send('later', { path, body: `{"petId":${petId}}` })).status).toBe(201);
    expect(await petStatus(service, petId)).toBe('pending');
  });

  it.each(PATHS)(
    'of POST %s gets its stored response from a replica that knows a later time than the database',
    async (path) => {
      const body = await bodyFor(path);
      const first = await send(`ahead${path}`, { path, body });
      const [replica] = replicas;
      const clock = jest.spyOn(replica?.app.get(Clock) as Clock, 'nowMs');
      clock.mockImplementation(() => Date.now() + 48 * HOUR_MS);
      const repeat = await send(`ahead${path}`, { path, body, by: replica });
      clock.mockRestore();
      expect([repeat.status, await repeat.text()]).toEqual([201, await first.text()]);
    },
  );

  it.each(PATHS)('of POST %s can be used anew after 24 hours of the clock of the database', async (path) => {
    const key = `old-${path === '/v1/pets' ? 'pet' : 'order'}`;
    await send(key, { path, body: await bodyFor(path) });
    await service.pool.query('update idempotency_keys set expires_at = now() where key = $1', [key]);
    const anew = await send(key, { path, body: await bodyFor(path) });
    expect([anew.status, anew.headers.get('idempotency-replayed')]).toEqual([201, null]);
    const { rows } = await service.pool.query<{ hours: number }>(
      'select extract(epoch from expires_at - now())::float8 / 3600 as hours from idempotency_keys where key = $1',
      [key],
    );
    expect(rows[0]?.hours).toBeCloseTo(24, 1);
  });

  it.each([
    ['k', '"k"'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['~!', '"~!"'],
  ])('may be written as %s or as the structured string %s', async (plain, structured) => {
    await send(plain, { body: REX });
    expect((await send(structured, { body: REX })).headers.get('idempotency-replayed')).toBe('true');
  });

  it.each(['', '""', 'a b', '"a b"', 'é', 'x'.repeat(256), 'a, b', '"a', '"a\\"'])(
    'is rejected when it is %j',
    async (bad) => {
      const before = await countOf('pets');
      expect(await errorOf(await send(bad, { body: REX }))).toMatchObject({
        code: 'invalid_idempotency_key',
        status: 400,
      });
      expect(await countOf('pets')).toBe(before);
    },
  );
});

describe('ten equal requests while the first waits for a lock', () => {
  const hasty = useReplicas(service, 1, { provokes503: true });

  it('are all 503 within two seconds, instead of one after another, and succeed once afterwards', async () => {
    const before = await countOf('pets');
    const holder = await holdOpen(service.databaseUrl, 'lock table pets in access exclusive mode', []);
    const startedMs = processTimeMs();
    const responses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const { status } = await send('ten', { body: REX, by: hasty[0] });
        return { status, isInTime: processTimeMs() - startedMs < 2000 };
      }),
    );
    await holder.stop();
    expect(responses).toEqual(responses.map(() => ({ status: 503, isInTime: true })));
    await eventually(async () => expect((await send('ten', { body: REX })).status).toBe(201));
    expect(await countOf('pets')).toBe(before + 1);
  });
});
