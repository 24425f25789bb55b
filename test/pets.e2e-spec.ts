import { describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../src/resources/pagination.js';
import { linkOf, walk } from './support/paging.js';
import { startService } from './support/service.js';
import { addPet } from './support/store.js';
import { useService } from './support/use-service.js';

interface PetBody {
  readonly id: number;
  readonly name: string;
  readonly status?: string;
}

const errorOf = async (response: Response): Promise<{ code: string; message: string; status: number }> =>
  (await response.json()) as { code: string; message: string; status: number };

describe('POST /v1/pets', () => {
  const service = useService();
  const create = (body: string): Promise<Response> => service.post('/v1/pets', body);

  it('responds with the pet, its identifier and its Location', async () => {
    const response = await create('{"name":"Rex","categoryId":7,"status":"available"}');
    expect(response.status).toBe(201);
    const text = await response.text();
    const { id } = JSON.parse(text) as PetBody;
    expect(text).toBe(`{"id":${id},"name":"Rex","categoryId":7,"status":"available"}`);
    expect(response.headers.get('location')).toBe(`/v1/pets/${id}`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('ignores members that it does not know, an id among them', async () => {
    const created = await create('{"id":1,"name":"Rex","categoryId":7,"x":{"y":[{}]},"toString":1}');
    expect(await created.text()).toMatch(/^\{"id":(?!1,)\d+,"name":"Rex","categoryId":7\}$/);
  });

  it('accepts JSON that names its character set', async () => {
    const type = { 'content-type': 'Application/JSON; Charset="UTF-8"' };
    expect((await service.post('/v1/pets', '{"name":"Rex","categoryId":7}', type)).status).toBe(201);
    const alias = { 'content-type': 'application/json; charset=utf8' };
    expect((await service.post('/v1/pets', '{"name":"Rex","categoryId":7}', alias)).status).toBe(201);
  });

  it('says what it accepts when the body is of another type or coding', async () => {
    const rejected = await service.fetch('/v1/pets', {
      ...{ method: 'POST', key: service.key, body: '{}' },
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect([rejected.status, rejected.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(rejected.headers.has('accept-patch')).toBe(false);
    const patch = await service.send('PATCH', '/v1/pets/1', '{}', { 'content-type': 'text/plain' });
    expect([patch.status, patch.headers.get('accept-patch')]).toEqual([
      415,
      'application/json, application/merge-patch+json',
    ]);
    const empty = { key: service.key, method: 'PATCH', headers: { 'content-type': 'text/plain' } };
    const bodiless = await service.fetch('/v1/pets/1', empty);
    expect([bodiless.status, bodiless.headers.get('accept-encoding')]).toEqual([415, 'identity']);
  });

  it.each(['null', '[]', '"Rex"', '7'])('rejects the body %s', async (body) => {
    expect(await errorOf(await create(body))).toEqual({
      code: 'invalid_body',
      message: 'The body must be a JSON object.',
      status: 400,
    });
  });

  it('lists every error of a body in one line', async () => {
    const { message } = await errorOf(await create('{"status":"gone"}'));
    expect(message).toMatch(/^name is required\. categoryId is required\. status must be one of .+\.$/);
  });

  it('counts characters, not UTF-16 units', async () => {
    expect((await create(`{"name":"${'🐕'.repeat(255)}","categoryId":7}`)).status).toBe(201);
  });
});

function expectAnnounced({ headers }: Response, successor: string): void {
  expect(headers.get('deprecation')).toBe('@1795132800');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toBe(
    `</docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", <${successor}>; rel="successor-version"`,
  );
}

describe('GET /v1/pets/{petId}', () => {
  /** The instant from which on the operation is removed. */
  const REMOVED_AT_MS = Date.UTC(2030, 11, 5);
  const clock = { nowMs: Date.UTC(2026, 10, 20) };
  const service = useService({ clock: { nowMs: () => clock.nowMs } });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])(
    'finds the pet %s by its exact identifier, and announces the removal',
    async (id) => {
      await service.pool.query(`insert into pets (id, name, category_id) values ($1, 'Edge', $1)`, [id]);
      const response = await service.get(`/v1/pets/${id}`);
      const pet = `{"id":${id},"name":"Edge","categoryId":${id}}`;
      expect(await response.text()).toBe(pet);
      expectAnnounced(response, `/v1/pets?id=${id}`);
      expect(await (await service.get(`/v1/pets?id=${id}`)).text()).toBe(`[${pet}]`);
    },
  );

  it.each([
    '1234567',
    '9223372036854775808',
    '01',
    '+1',
    '1.0',
    '1e3',
    'rex',
    '-0',
    '%31%32',
    'x'.repeat(500),
  ])('404: there is no pet %s', async (petId) => {
    const response = await service.get(`/v1/pets/${petId}`);
    const successors: Readonly<Record<string, string>> = { 1234567: '?id=1234567', '%31%32': '?id=12' };
    expectAnnounced(response, `/v1/pets${successors[petId] ?? ''}`);
    expect(await errorOf(response)).toEqual({
      code: 'pet_not_found',
      message: 'There is no pet with this petId.',
      status: 404,
    });
  });

  it('does not announce the removal where admission rejects', async () => {
    const { key } = await service.issueKey({ perMinute: 1 });
    await service.fetch('/v1/pets/1', { key });
    for (const response of [await service.fetch('/v1/pets/1'), await service.fetch('/v1/pets/1', { key })]) {
      expect([401, 429]).toContain(response.status);
      for (const name of ['deprecation', 'sunset', 'link']) expect(response.headers.get(name)).toBeNull();
    }
  });

  it('ends at the announced instant, by the clock alone', async () => {
    clock.nowMs = REMOVED_AT_MS - 1;
    expect((await service.get('/v1/pets/1')).status).toBe(404);
    clock.nowMs = REMOVED_AT_MS;
    const removed = await service.get('/v1/pets/1');
    expectAnnounced(removed, '/v1/pets?id=1');
    expect(await errorOf(removed)).toMatchObject({ code: 'operation_removed', status: 410 });
    expect((await service.get('/v1/pets')).status).toBe(200);
    expect((await service.fetch('/v1/pets/1')).status).toBe(401);
  });
});

describe('GET /v1/pets', () => {
  const service = useService();
  const fill = (count: number, status = 'null'): Promise<unknown> =>
    service.pool.query(
      `truncate pets restart identity cascade;
       insert into pets (name, category_id, status)
       select 'Pet ' || n, n, (array[${status}])[n % cardinality(array[${status}]) + 1]::pet_status
       from generate_series(1, ${count}) as n`,
    );
  const list = async (query: string): Promise<readonly PetBody[]> =>
    (await (await service.get(`/v1/pets${query}`)).json()) as readonly PetBody[];

  it('responds with 20 pets by identifier without parameters', async () => {
    await fill(25);
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    expect((await list('')).map(({ id }) => id)).toEqual(ids);
  });

  it('responds to many different queries at once, to each with its own pets', async () => {
    await fill(100);
    const limits = Array.from({ length: 100 }, (_, index) => index + 1);
    const pages = await Promise.all(limits.map((limit) => list(`?limit=${limit}`)));
    expect(pages.map((pets) => pets.length)).toEqual(limits);
  });

  it.each([
    [
      'limit',
      ['0', '101', '-1', '%2B5', '05', '5.0', '1e1', '%205', '', 'five', '1&limit=2', '9'.repeat(20)],
    ],
    ['status', ['', 'gone', 'Sold', 'sold&status=gone']],
    ['id', ['', '1.0', '9223372036854775808', '+1', '1&id=', '1&id=x', Array(101).fill('1').join('&id=')]],
    ['categoryId', ['', '1.0', '9223372036854775808', '1&categoryId=1']],
    ['sort', ['', 'name', '-ID', 'id&sort=id']],
    ['cursor', ['', '1', encodeCursor('/v1/pets?status=sold&', 1n), encodeCursor('/v1/store/orders?', 1n)]],
    [
      'cursor',
      [`${encodeCursor('/v1/pets?', 1n).slice(0, -1)}!`, `${encodeCursor('/v1/pets?', 1n)}&cursor=1`],
    ],
  ])('names %s as what is wrong with it: %j', async (name, values) => {
    for (const value of values) {
      expect([value, await errorOf(await service.get(`/v1/pets?${name}=${value}`))]).toEqual([
        value,
        {
          code: 'invalid_parameter',
          message: expect.stringMatching(new RegExp(`^${name} (must|may)`)),
          status: 400,
        },
      ]);
    }
  });

  it('lists each pet once in pages of 7, while others are inserted and deleted', async () => {
    const stable = 2000;
    await fill(0);
    await service.pool.query(
      `insert into pets (id, name, category_id) select 2 * n, 'stable', n from generate_series(1, ${stable}) as n`,
    );
    const change = async (round: number): Promise<void> => {
      const odd = Array.from({ length: 20 }, (_, index) => 2 * ((round * 37 + index * 251) % stable) + 1);
      await service.pool.query(
        `insert into pets (id, name, category_id)
         select id, 'passing', 1 from unnest($1::bigint[]) as id on conflict do nothing`,
        [odd],
      );
      await service.pool.query('delete from pets where id = any($1)', [odd.slice(0, 15)]);
    };
    const ids: number[] = [];
    let changing = Promise.resolve();
    for await (const page of walk(service, service.key, '/v1/pets?limit=7')) {
      ids.push(...page.map(({ id }) => id));
      await changing;
      // It overlaps the request for the next page.
      changing = change(ids.length);
    }
    await changing;
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id % 2 === 0)).toEqual(Array.from({ length: stable }, (_, n) => 2 * (n + 1)));
  });

  it('reaches both ends of int64', async () => {
    await fill(0);
    await service.pool.query(
      `insert into pets (id, name, category_id)
       values (-9223372036854775808, 'first', 1), (0, 'middle', 1), (9223372036854775807, 'last', 1)`,
    );
    const names: string[] = [];
    for await (const page of walk(service, service.key, '/v1/pets?limit=1'))
      names.push(...page.map((pet) => pet.name));
    expect(names).toEqual(['first', 'middle', 'last']);
  });

  it('keeps filter and limit in its links, has no next on the last page, and takes another limit meanwhile', async () => {
    await fill(4, `'sold'`);
    const first = await service.get('/v1/pets?status=sold&limit=2');
    expect(first.headers.get('link')).toMatch(
      /^<\/v1\/pets\?status=sold&limit=2&cursor=[\w-]{18}>; rel="next", <\/v1\/pets\?status=sold&limit=2>; rel="first"$/,
    );
    const next = linkOf(first, 'next') ?? '';
    for (const target of [next, next.replace('limit=2', 'limit=100')]) {
      const last = await service.get(target);
      expect(((await last.json()) as PetBody[]).map(({ id }) => id)).toEqual([3, 4]);
      expect(linkOf(last, 'next')).toBeUndefined();
    }
  });

  it('links absolutely when the public origin is configured', async () => {
    const environment = { PUBLIC_URL: 'https://api.example.com' };
    const published = await startService({ databaseUrl: service.databaseUrl, environment });
    const { key } = service;
    const response = await published.fetch('/v1/pets?limit=2', { key });
    expect(linkOf(response, 'first')).toBe('https://api.example.com/v1/pets?limit=2');
    expect(linkOf(response, 'next')).toMatch(/^https:\/\/api\.example\.com\/v1\/pets\?limit=2&cursor=/);
    const order = await published.fetch('/v1/store/orders', {
      ...{ key, method: 'POST', body: `{"petId":${await addPet(service)}}` },
      headers: { 'content-type': 'application/json' },
    });
    expect(order.headers.get('location')).toMatch(/^https:\/\/api\.example\.com\/v1\/store\/orders\/\d+$/);
    await published.close();
  });
});
