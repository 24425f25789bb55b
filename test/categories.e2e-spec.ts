import { beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { eventually } from './support/eventually.js';
import { linkOf, walk } from './support/paging.js';
import { useReplicas, useService } from './support/use-service.js';

const service = useService();
const others = useReplicas(service, 1);
/** One of the two replicas. */
const replica = (which: boolean) => (which ? service : others[0]) as typeof service;

beforeEach(() => service.pool.query('truncate categories, pets, orders'));

interface Category {
  readonly id: number;
  readonly name: string;
}

const create = (name: string, headers = {}, at = service): Promise<Response> =>
  at.post('/v1/categories', JSON.stringify({ name }), headers);
const put = (id: bigint | number, name: string, headers = {}, at = service): Promise<Response> =>
  at.send('PUT', `/v1/categories/${id}`, JSON.stringify({ name }), headers);
const remove = (id: bigint | number, headers = {}): Promise<Response> =>
  service.fetch(`/v1/categories/${id}`, { method: 'DELETE', key: service.key, headers });
const created = async (name: string): Promise<Category> => (await (await create(name)).json()) as Category;
const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { code: string }).code;
const addPet = (categoryId: bigint | number, status: string | null = 'available') =>
  service.pool.query('insert into pets (name, category_id, status) values ($1, $2, $3)', [
    'Rex',
    categoryId,
    status,
  ]);
const names = async (): Promise<readonly string[]> =>
  (
    await service.pool.query<{ name: string }>('select name from categories order by name collate "C"')
  ).rows.map(({ name }) => name);

describe('a new category', () => {
  it('is returned as stored, with Location and ETag', async () => {
    const response = await create('Größe 大 "x"');
    expect(response.status).toBe(201);
    const { id, name } = (await response.clone().json()) as Category;
    expect(name).toBe('Größe 大 "x"');
    expect(response.headers.get('location')).toBe(`/v1/categories/${id}`);
    const found = await service.get(`/v1/categories/${id}`);
    expect([await found.text(), found.headers.get('etag')]).toEqual([
      await response.text(),
      response.headers.get('etag'),
    ]);
  });

  it('gets a number that neither a category nor a pet uses, with a status or without', async () => {
    const { id } = await created('Dogs');
    await put(id + 1, 'Cats');
    await addPet(id + 2);
    await addPet(id + 3, null);
    expect(await created('Fish')).toEqual({ id: id + 4, name: 'Fish' });
  });

  it('passes hundreds of thousands of numbers that pets use', async () => {
    const { id } = await created('Dogs');
    await service.pool.query(
      `insert into pets (name, category_id) select 'Rex', n from generate_series($1::bigint, $1 + 300000) as n`,
      [id + 1],
    );
    const fish = await created('Fish');
    expect(fish.id).toBeGreaterThan(id + 300_001);
    expect((await created('Snakes')).id).toBe(fish.id + 1);
  });

  it('must have a unique name, ignoring ASCII case', async () => {
    await created('Dogs');
    expect(await codeOf(await create('dOgS'))).toBe('category_exists');
    // Other letters are not folded, so that the rule is the same on every server.
    await created('ÄPFEL');
    expect((await create('äPFEL')).status).toBe(201);
    expect(await names()).toEqual(['Dogs', 'ÄPFEL', 'äPFEL']);
  });

  it('is created once by equal requests with an Idempotency-Key, even if deleted since', async () => {
    const first = await create('Dogs', { 'idempotency-key': 'once' });
    const text = await first.text();
    await remove((JSON.parse(text) as Category).id);
    const again = await create('Dogs', { 'idempotency-key': 'once' });
    expect([again.status, again.headers.get('idempotency-replayed'), await again.text()]).toEqual([
      201,
      'true',
      text,
    ]);
    expect(await codeOf(await create('Cats', { 'idempotency-key': 'once' }))).toBe('idempotency_key_reused');
    expect(await names()).toEqual([]);
  });

  it.each(['', ' ', 'x'.repeat(101), 7, null, '\0', '\ud800'])('rejects the name %j', async (name) => {
    const response = await service.post('/v1/categories', JSON.stringify({ name }));
    expect([response.status, await codeOf(response)]).toEqual([400, 'invalid_body']);
    expect(await names()).toEqual([]);
  });
});

describe('one of many requests for a name on two replicas wins', () => {
  it.each(['with', 'without'])('%s Idempotency-Keys', async (which) => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const name = n % 2 === 0 ? 'Dogs' : 'DOGS';
        return n % 3 === 0
          ? put(1_000_000 + n, name, {}, replica(n % 4 < 2))
          : create(name, which === 'with' ? { 'idempotency-key': `k${n}` } : {}, replica(n % 4 < 2));
      }),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(59);
    expect(await names()).toHaveLength(1);
  });

  it('different names at once all get theirs', async () => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => create(`Category ${n}`, {}, replica(n % 2 === 0))),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(await names()).size).toBe(60);
  });
});

describe('PUT', () => {
  it('names a number that pets use, then changes the name, then leaves it', async () => {
    await addPet(-7n);
    const first = await put(-7n, 'Dogs');
    expect([first.status, first.headers.get('location'), await first.text()]).toEqual([
      201,
      '/v1/categories/-7',
      '{"id":-7,"name":"Dogs"}',
    ]);
    const renamed = await put(-7n, 'dogs');
    expect([renamed.status, renamed.headers.get('location'), await renamed.text()]).toEqual([
      200,
      null,
      '{"id":-7,"name":"dogs"}',
    ]);
    const same = await put(-7n, 'dogs');
    expect([same.status, same.headers.get('etag')]).toEqual([200, renamed.headers.get('etag')]);
  });

  it.each([9223372036854775807n, -9223372036854775808n, 0n])('takes the number %s', async (id) => {
    expect((await put(id, 'Edge')).status).toBe(201);
    expect(await (await service.get(`/v1/categories/${id}`)).text()).toBe(`{"id":${id},"name":"Edge"}`);
  });

  it('obeys conditions, before a name that is taken', async () => {
    const { id } = await created('Dogs');
    await created('Cats');
    const etag = (await service.get(`/v1/categories/${id}`)).headers.get('etag') ?? '';
    const statusOf = async (headers: Record<string, string>, name = 'Hounds', at: number = id) =>
      (await put(at, name, headers)).status;
    expect(await statusOf({ 'if-none-match': '*' }, 'Cats')).toBe(412);
    expect(await statusOf({ 'if-match': '"another"' }, 'Cats')).toBe(412);
    expect(await statusOf({ 'if-match': etag }, 'Cats')).toBe(409);
    expect(await statusOf({ 'if-match': '*' })).toBe(200);
    // What is not there has no representation (RFC 9110 section 13.1.1).
    expect(await statusOf({ 'if-match': '*' }, 'Fish', 999)).toBe(412);
    expect(await statusOf({ 'if-match': etag }, 'Fish', 999)).toBe(412);
    expect(await statusOf({ 'if-none-match': '*' }, 'Fish', 999)).toBe(201);
    expect(await names()).toEqual(['Cats', 'Fish', 'Hounds']);
  });

  it('gives one of many changes with one ETag', async () => {
    const { id } = await created('Dogs');
    const etag = (await service.get(`/v1/categories/${id}`)).headers.get('etag') ?? '';
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => put(id, `Dogs ${n}`, { 'if-match': etag }, replica(n % 2 === 0))),
    );
    const statuses = responses.map(({ status }) => status);
    expect(statuses.toSorted((one, two) => one - two)).toEqual([200, ...Array<number>(29).fill(412)]);
  });

  it('reports body errors before a non-int64 number', async () => {
    const response = await service.send('PUT', '/v1/categories/dogs', '{}');
    expect([response.status, await codeOf(response)]).toEqual([400, 'invalid_body']);
    const named = await service.send('PUT', '/v1/categories/dogs', '{"name":"Dogs"}');
    expect([named.status, await codeOf(named)]).toEqual([404, 'category_not_found']);
  });
});

describe('DELETE', () => {
  it.each(['available', null])(
    'leaves a category that a pet with the status %s refers to',
    async (status) => {
      const { id } = await created('Dogs');
      await addPet(id, status);
      expect(await codeOf(await remove(id))).toBe('category_in_use');
      await service.pool.query('delete from pets');
      expect((await remove(id)).status).toBe(204);
      expect(await codeOf(await remove(id))).toBe('category_not_found');
    },
  );

  it('frees the name, and never the number', async () => {
    const { id } = await created('Dogs');
    await remove(id);
    expect((await created('Dogs')).id).toBeGreaterThan(id);
  });

  it('obeys a condition', async () => {
    const { id } = await created('Dogs');
    expect((await remove(id, { 'if-match': '"another"' })).status).toBe(412);
    expect(await names()).toEqual(['Dogs']);
  });
});

describe('the list', () => {
  it('has every category once, over pages, and one by its name', async () => {
    for (const n of [1, 2, 3, 4, 5]) await created(`Category ${n}`);
    const pages = [];
    for await (const page of walk(service, service.key, '/v1/categories?limit=2')) pages.push(page);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat().map(({ name }) => name)).toEqual(await names());
    const one = await service.get(`/v1/categories?name=${encodeURIComponent('category 3')}`);
    expect(await one.json()).toEqual([expect.objectContaining({ name: 'Category 3' })]);
    expect(linkOf(one, 'next')).toBeUndefined();
    expect(linkOf(one, 'first')).toBe('/v1/categories?name=category%203&limit=20');
    expect(await (await service.get('/v1/categories?name=Category')).json()).toEqual([]);
  });

  it('finds a name by its index among many', async () => {
    await service.pool.query(
      `insert into categories (name) select 'Category ' || n from generate_series(1, 20000) as n; analyze categories`,
    );
    const { LIST_CATEGORIES } = await import('../src/categories/categories.sql.js');
    const client = await service.pool.connect();
    try {
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare by_name as ${LIST_CATEGORIES.id.statement.text}`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off, timing off, summary off)
         execute by_name ('{-9223372036854775808}', '{20}', '{"category 77"}')`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/categories_name_key on categories listed\w* \(actual rows=1\b/);
      expect(plan).not.toMatch(/Seq Scan on categories|Rows Removed by Filter/);
    } finally {
      await client.query('reset plan_cache_mode; deallocate by_name');
      client.release();
    }
  });
});

describe('a category that another transaction has locked', () => {
  it('waits, and others are written meanwhile', async () => {
    const { id } = await created('Dogs');
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from categories where id = $1 for update', [id]);
    const waiting = put(id, 'Hounds');
    expect((await create('Cats')).status).toBe(201);
    expect((await put(999, 'Fish')).status).toBe(201);
    await holder.query('rollback');
    expect((await waiting).status).toBe(200);
    await holder.end();
    expect(await names()).toEqual(['Cats', 'Fish', 'Hounds']);
  });

  it.each([
    ['POST', 'commit', () => create('DOGS'), 409],
    ['POST', 'rollback', () => create('DOGS'), 201],
    ['PUT of a new number', 'commit', () => put(777, 'dogs'), 409],
    ['PUT of a new number', 'rollback', () => put(777, 'dogs'), 201],
    ['PUT of another name', 'commit', () => put(1000, 'dogs'), 409],
    ['PUT of another name', 'rollback', () => put(1000, 'dogs'), 200],
  ])('%s of a name that an open transaction inserts, after its %s', async (_which, end, send, status) => {
    await put(1000, 'Cats');
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    const { rows } = await holder.query<{ now: Date }>(
      `insert into categories (id, name) values (2000, 'Dogs') returning clock_timestamp() as now`,
    );
    const waiting = send();
    await eventually(async () => {
      const { rowCount } = await service.pool.query(
        `select from pg_stat_activity
         where datname = current_database() and query ~ 'put_category_if|new_category' and query_start > $1`,
        [rows[0]?.now],
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    // Other writes do not wait for it.
    expect((await create('Snakes')).status).toBe(201);
    expect((await put(3000, 'Parrots')).status).toBe(201);
    expect((await service.post('/v1/pets', '{"name":"Rex","categoryId":2000}')).status).toBe(201);
    await holder.query(end);
    expect((await waiting).status).toBe(status);
    await holder.end();
  });

  it('a name inserted between check and insert is also a conflict', async () => {
    await put(1, 'Dogs');
    await service.pool.query(
      `create sequence looks;
       alter function category_conflict rename to look_again;
       create function category_conflict(text) returns text language sql volatile
       return case when nextval('looks') = 1 then null else look_again($1) end`,
    );
    const response = await create('dogs');
    expect([response.status, await codeOf(response)]).toEqual([409, 'category_exists']);
    const { rows } = await service.pool.query<{ looks: number }>(
      'select last_value::int as looks from looks',
    );
    expect(rows).toEqual([{ looks: 2 }]);
    await service.pool.query(
      'drop function category_conflict; alter function look_again rename to category_conflict; drop sequence looks',
    );
  });
});
