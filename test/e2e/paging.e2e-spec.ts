import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../../src/common/pagination.js';
import { linkOf, walk } from '../support/paging.js';
import { startService, type TestService } from '../support/service.js';

const STABLE = 2000;

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

describe('paging through GET /v1/pets', () => {
  it('meets every animal once in pages of 7, while others come and go', async () => {
    const { pool } = service;
    // Even identifiers are stable; the odd ones between them are what somebody else inserts and deletes.
    await pool.query(`
      insert into pets (id, name, category_id)
      select 2 * n, 'stable', n from generate_series(1, ${STABLE}) as n`);
    /** Once a page: a loop of its own would take the database from the walk. */
    const meddle = async (round: number): Promise<void> => {
      const passing = Array.from({ length: 20 }, (_, index) => 2 * ((round * 37 + index * 251) % STABLE) + 1);
      await pool.query(
        `insert into pets (id, name, category_id)
         select id, 'passing', 1 from unnest($1::bigint[]) as id on conflict do nothing`,
        [passing],
      );
      await pool.query(`delete from pets where id = any($1)`, [passing.slice(0, 15)]);
    };
    const ids: number[] = [];
    let meddling = Promise.resolve();
    for await (const page of walk(service, key, '/v1/pets?limit=7')) {
      ids.push(...page.map(({ id }) => id));
      await meddling;
      // It overlaps the request for the next page.
      meddling = meddle(ids.length);
    }
    await meddling;
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id % 2 === 0)).toEqual(Array.from({ length: STABLE }, (_, n) => 2 * (n + 1)));
  });

  it('reaches both ends of int64', async () => {
    const { pool } = service;
    await pool.query('delete from pets');
    await pool.query(`
      insert into pets (id, name, category_id)
      values (-9223372036854775808, 'first', 1), (0, 'middle', 1), (9223372036854775807, 'last', 1)`);
    const names: string[] = [];
    for await (const page of walk(service, key, '/v1/pets?limit=1'))
      names.push(...page.map(({ name }) => name));
    expect(names).toEqual(['first', 'middle', 'last']);
  });

  it('keeps the filter and the limit in its links, and has no next on the last page', async () => {
    const { pool } = service;
    await pool.query('delete from pets');
    await pool.query(
      `insert into pets (id, name, category_id, status) select n, 'x', 1, 'sold' from generate_series(1, 4) as n`,
    );
    const first = await service.fetch('/v1/pets?status=sold&limit=2', { key });
    expect(first.headers.get('link')).toMatch(
      /^<\/v1\/pets\?status=sold&limit=2&cursor=[\w-]{18}>; rel="next", <\/v1\/pets\?status=sold&limit=2>; rel="first"$/,
    );
    const last = await service.fetch(linkOf(first, 'next') ?? '', { key });
    expect(((await last.json()) as { id: number }[]).map(({ id }) => id)).toEqual([3, 4]);
    expect(last.headers.get('link')).toBe('</v1/pets?status=sold&limit=2>; rel="first"');
  });

  it('takes another limit in the middle of a walk', async () => {
    const first = await service.fetch('/v1/pets?limit=2', { key });
    const next = linkOf(first, 'next') ?? '';
    const rest = await service.fetch(next.replace('limit=2', 'limit=100'), { key });
    expect(((await rest.json()) as { id: number }[]).map(({ id }) => id)).toEqual([3, 4]);
  });

  it.each([
    ['of another filter', encodeCursor('/v1/pets?status=sold&', 1n)],
    ['of another list', encodeCursor('/v1/store/orders?', 1n)],
    ['that was tampered with', `${encodeCursor('/v1/pets?', 1n).slice(0, -1)}!`],
    ['that is empty', ''],
    ['given twice', `${encodeCursor('/v1/pets?', 1n)}&cursor=${encodeCursor('/v1/pets?', 1n)}`],
  ])('refuses a cursor %s', async (_what, cursor) => {
    const response = await service.fetch(`/v1/pets?cursor=${cursor}`, { key });
    expect(response.status).toBe(400);
    const body = (await response.json()) as { message: string };
    expect(body).toMatchObject({ code: 'invalid_parameter' });
    expect(body.message).toMatch(/^cursor must/);
  });

  it('links absolutely when the service knows its public origin', async () => {
    const elsewhere = await startService({
      databaseUrl: service.databaseUrl,
      environment: { PUBLIC_URL: 'https://api.example.com' },
    });
    const response = await elsewhere.fetch('/v1/pets?limit=2', { key });
    expect(linkOf(response, 'first')).toBe('https://api.example.com/v1/pets?limit=2');
    expect(linkOf(response, 'next')).toMatch(/^https:\/\/api\.example\.com\/v1\/pets\?limit=2&cursor=/);
    await elsewhere.close();
  });
});
