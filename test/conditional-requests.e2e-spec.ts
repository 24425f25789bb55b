import { beforeAll, describe, expect, it } from '@jest/globals';
import { etagOf as tagOfBody } from '../src/http/etag.js';
import type { OrderStatus } from '../src/store/orders.dto.js';
import { eventually } from './support/eventually.js';
import { holdOpen } from './support/operators.js';
import {
  addPet,
  changeOrder,
  orderInStatus,
  outcomeOf,
  patchOrder,
  petStatus,
  placeOrder,
} from './support/store.js';
import { openTestPool } from './support/test-pool.js';
import { useReplicas, useService } from './support/use-service.js';

const service = useService();
const replicas = useReplicas(service, 1);

const origin = 'https://shop.example';
const read = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> =>
  service.fetch(path, { ...(path.startsWith('/v1') && { key: service.key }), method, headers });
const etagOf = async (path: string): Promise<string> => (await read(path)).headers.get('etag') ?? '';

const ERROR = {
  code: 'precondition_failed',
  message: 'The current ETag of the resource does not meet If-Match or If-None-Match.',
  status: 412,
};

const LISTS_AND_RECORDS = [
  '/v1/pets',
  '/v1/pets?limit=1',
  '/v1/pets?id=1',
  '/v1/pets/1',
  '/v1/store/orders',
  '/v1/store/orders/1',
];
const READ = [
  ...LISTS_AND_RECORDS,
  '/v1/store/inventory',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs.md',
  '/llms.txt',
  '/docs/main.js',
];

beforeAll(async () => {
  await placeOrder(service, await addPet(service));
  await addPet(service);
});

describe('the ETag of GET /v1/pets with one id alone', () => {
  it('is that of the pet, which a change accepts', async () => {
    const id = await addPet(service);
    const etag = await etagOf(`/v1/pets?id=${id}`);
    expect(etag).toBe(await etagOf(`/v1/pets/${id}`));
    const change = (ifMatch: string): Promise<Response> =>
      service.fetch(`/v1/pets/${id}`, {
        key: service.key,
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'if-match': ifMatch },
        body: '{"name":"Rex II"}',
      });
    const changed = await change(etag);
    expect(changed.status).toBe(200);
    expect(await etagOf(`/v1/pets?id=${id}`)).toBe(changed.headers.get('etag'));
    expect((await change(etag)).status).toBe(412);
  });

  it('is that of the list with another parameter, a second id, or without a pet', async () => {
    const id = await addPet(service);
    for (const path of [`/v1/pets?id=${id}&limit=5`, `/v1/pets?id=${id}&id=${id}`, '/v1/pets?id=999999']) {
      const response = await read(path);
      expect([path, response.headers.get('etag')]).toEqual([path, tagOfBody(await response.text())]);
    }
  });
});

describe.each(READ)('a condition on GET and HEAD %s', (path) => {
  it('If-None-Match: 304 without a body, but with the headers of 200, while nothing has changed', async () => {
    const full = await read(path, { origin });
    const etag = full.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22,}"$/);
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const unchanged = await read(path, { origin, 'if-none-match': ifNoneMatch }, method);
        expect([ifNoneMatch, unchanged.status, await unchanged.text()]).toEqual([ifNoneMatch, 304, '']);
        for (const name of [
          'etag',
          'cache-control',
          'vary',
          'link',
          'x-ratelimit-limit',
          'access-control-allow-origin',
        ]) {
          expect([name, unchanged.headers.get(name)]).toEqual([name, full.headers.get(name)]);
        }
      }
    }
  });

  it('If-Match: 200 when it names the ETag, alone or in a list, or is *', async () => {
    const etag = await etagOf(path);
    for (const ifMatch of [etag, `"other", ${etag}`, `W/"weak", ${etag}, "other"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await read(path, { 'if-match': ifMatch }, method);
        expect([ifMatch, response.status, response.headers.get('etag')]).toEqual([ifMatch, 200, etag]);
      }
    }
  });

  it('If-Match: 412 when it does not, when the tag is weak, and when the value is malformed', async () => {
    const etag = await etagOf(path);
    for (const ifMatch of ['"other"', `W/${etag}`, etag.slice(1, -1), `${etag} "b"`, `*, ${etag}`, '']) {
      const response = await read(path, { 'if-match': ifMatch });
      expect([ifMatch, response.status, await response.json()]).toEqual([ifMatch, 412, ERROR]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
      expect(response.headers.get('link') ?? '').not.toContain('rel="first"');
      expect((await read(path, { 'if-match': ifMatch }, 'HEAD')).status).toBe(412);
    }
  });

  it('If-Match comes before If-None-Match', async () => {
    const etag = await etagOf(path);
    const statuses = [];
    for (const [ifMatch, ifNoneMatch] of [
      ['"other"', etag],
      [etag, etag],
      [etag, '"other"'],
    ] as const) {
      statuses.push((await read(path, { 'if-match': ifMatch, 'if-none-match': ifNoneMatch })).status);
    }
    expect(statuses).toEqual([412, 304, 200]);
  });
});

describe('caching', () => {
  it('is allowed to the client only, after revalidation, and has another ETag as soon as something changed', async () => {
    for (const path of LISTS_AND_RECORDS) {
      const { headers } = await read(path);
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual([
        'private, no-cache',
        'Authorization',
      ]);
    }
    const etag = await etagOf('/v1/pets/2');
    await service.pool.query(`update pets set name = 'Changed' where id = 2`);
    const changed = await read('/v1/pets/2', { 'if-none-match': etag });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, expect.not.stringMatching(etag)]);
  });

  it('is forbidden for errors and writes, and an error has no ETag', async () => {
    const { id } = await orderInStatus(service, 'delivered');
    const errors = [
      await service.post('/v1/pets', '{}'),
      await placeOrder(service, 4711n),
      await changeOrder(service, id, 'placed'),
      await patchOrder(service, 4711, '{"status":"placed"}'),
      await service.get('/v1/pets/4711'),
      await service.fetch('/%zz'),
    ];
    expect(errors.map(({ status }) => status)).toEqual([400, 400, 409, 404, 404, 401]);
    for (const { headers } of errors) expect(headers.get('etag')).toBeNull();
    for (const { headers } of [...errors, await service.post('/v1/pets', '{"name":"Rex","categoryId":1}')]) {
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('If-Match', () => {
  it('means nothing where the response is an error anyway', async () => {
    const responses = [
      await read('/v1/pets/4711', { 'if-match': '"other"' }),
      await read('/v1/store/orders/4711', { 'if-match': '*' }),
      await read('/v1/pets?limit=0', { 'if-match': '"other"' }),
      await read('/v1/nowhere', { 'if-match': '"other"' }),
      await service.fetch('/v1/pets', { headers: { 'if-match': '"other"' } }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 400, 404, 401]);
  });

  it('is ignored by POST like If-None-Match, because POST changes no existing record', async () => {
    for (const condition of ['"other"', 'malformed', '*']) {
      const headers = { 'if-match': condition, 'if-none-match': condition };
      const pet = await service.post('/v1/pets', '{"name":"Rex","categoryId":1}', headers);
      const order = await service.post('/v1/store/orders', `{"petId":${await addPet(service)}}`, headers);
      expect([pet.status, order.status]).toEqual([201, 201]);
    }
  });
});

interface PlacedOrder {
  readonly id: number;
  readonly petId: bigint;
  readonly etag: string;
}

async function place(): Promise<PlacedOrder> {
  const petId = await addPet(service);
  const placed = await placeOrder(service, petId);
  const { id } = (await placed.json()) as { id: number };
  return { id, petId, etag: placed.headers.get('etag') ?? '' };
}

const changeIf = (
  condition: Readonly<Record<string, string>>,
  id: number | string,
  status: OrderStatus | 'sold',
  on = 0,
): Promise<Response> =>
  ([service, ...replicas][on] ?? service).fetch(`/v1/store/orders/${id}`, {
    method: 'PATCH',
    key: service.key,
    body: `{"status":"${status}"}`,
    headers: { 'content-type': 'application/json', ...condition },
  });
const change = (
  id: number | string,
  status: OrderStatus | 'sold',
  ifMatch: string,
  on = 0,
): Promise<Response> => changeIf({ 'if-match': ifMatch }, id, status, on);

describe('If-Match on PATCH /v1/store/orders/{orderId}', () => {
  it.each([
    ['the tag of the order', (etag: string) => etag],
    ['a list with it', (etag: string) => `"other", ${etag}, W/"weak"`],
    ['*', () => '*'],
  ])('200 for %s, with the tag that the order has now', async (_what, ifMatch) => {
    const { id, etag } = await place();
    const changed = await change(id, 'approved', ifMatch(etag));
    const text = await changed.text();
    expect(text).toBe(await (await service.get(`/v1/store/orders/${id}`)).text());
    expect(changed.headers.get('etag')).toBe(tagOfBody(text));
    expect(changed.headers.get('cache-control')).toBe('no-store');
    expect((await change(id, 'delivered', changed.headers.get('etag') ?? '')).status).toBe(200);
  });

  it.each([
    ['another tag', () => '"other"'],
    ['a weak tag', (etag: string) => `W/${etag}`],
    ['a tag without quotes', (etag: string) => etag.slice(1, -1)],
    ['a malformed list', (etag: string) => `${etag} "other"`],
    ['nothing', () => ''],
  ])('412 for %s, and nothing changes', async (_what, ifMatch) => {
    const { id, petId, etag } = await place();
    const response = await change(id, 'cancelled', ifMatch(etag));
    expect(await response.json()).toMatchObject({ code: 'precondition_failed', status: 412 });
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect(await etagOf(`/v1/store/orders/${id}`)).toBe(etag);
    expect(await petStatus(service, petId)).toBe('pending');
  });

  it('is evaluated after 400 and 404, before the state machine, and for a change to the present status too', async () => {
    const { id, etag } = await place();
    expect(await outcomeOf(change(id, 'sold', '"other"'))).toBe('400 invalid_body');
    expect(await outcomeOf(change(4711, 'approved', '"other"'))).toBe('404 order_not_found');
    expect(await outcomeOf(change('rex', 'approved', '*'))).toBe('404 order_not_found');
    expect(await outcomeOf(change(id, 'delivered', '"other"'))).toBe('412 precondition_failed');
    expect(await outcomeOf(change(id, 'delivered', etag))).toBe('409 order_transition_not_allowed');
    expect(await outcomeOf(change(id, 'placed', '"other"'))).toBe('412 precondition_failed');
    expect(await outcomeOf(change(id, 'placed', etag))).toBe('200');
  });

  it('lets exactly one of 40 changes that name one tag succeed, on two replicas, whatever they change it to', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const { id, etag } = await place();
      const outcomes = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          outcomeOf(change(id, n % 3 === 0 ? 'cancelled' : 'approved', etag, n % 2)),
        ),
      );
      expect(outcomes.toSorted()).toEqual([
        '200',
        ...Array.from({ length: 39 }, () => '412 precondition_failed'),
      ]);
    }
  });

  it.each([
    ['commit', '412 precondition_failed'],
    ['rollback', '200'],
  ])('is compared under the lock of the order: after the %s of another session %s', async (end, expected) => {
    const { id, etag } = await place();
    const operator = openTestPool(service.databaseUrl, { max: 1 });
    await operator.query('begin');
    const { rows } = await operator.query<{ now: Date }>(
      `update orders set status = 'approved' where id = $1 returning clock_timestamp() as now`,
      [id],
    );
    const response = change(id, 'cancelled', etag);
    // Until a statement has found the order locked.
    await eventually(async () => {
      const tried = await service.pool.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'petstore'
         and query ~ 'record_id' and query_start > $1`,
        [rows[0]?.now],
      );
      expect(tried.rows).not.toHaveLength(0);
    });
    await operator.query(end);
    await operator.end();
    expect(await outcomeOf(response)).toBe(expected);
  });

  it('is 412 at once where the order is locked and the tag is old already', async () => {
    const { id } = await orderInStatus(service, 'approved');
    const holder = await holdOpen(service.databaseUrl, 'select from orders where id = $1 for update', [id]);
    expect(await outcomeOf(change(id, 'cancelled', '"old"'))).toBe('412 precondition_failed');
    await holder.stop();
  });
});
