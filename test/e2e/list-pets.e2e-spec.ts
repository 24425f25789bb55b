import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
  await service.pool.query(`
    insert into pets (name, category_id, status)
    select 'Pet ' || n, n, (array['available', 'pending', 'sold', null])[n % 4 + 1]::pet_status
    from generate_series(1, 250) as n`);
});
afterAll(() => service.close());

const list = async (query: string): Promise<{ id: number; status?: string }[]> =>
  (await (await service.fetch(`/v1/pets${query}`, { key })).json()) as { id: number; status?: string }[];

describe('GET /v1/pets', () => {
  describe('200', () => {
    it('answers with 20 animals by identifier when nothing else is asked', async () => {
      const pets = await list('');
      expect(pets.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    });

    it.each([1, 2, 99, 100])('answers with %d animals at most', async (limit) => {
      expect(await list(`?limit=${limit}`)).toHaveLength(limit);
    });

    it.each(['available', 'pending', 'sold'])('answers with %s animals alone', async (status) => {
      const pets = await list(`?status=${status}&limit=100`);
      expect(pets.length).toBeGreaterThan(50);
      expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
    });

    it('answers with an empty array when no animal fits', async () => {
      const empty = await startService();
      const { key: itsKey } = await empty.issueKey();
      expect(await (await empty.fetch('/v1/pets?status=sold', { key: itsKey })).text()).toBe('[]');
      await empty.close();
    });

    it('ignores parameters it does not know', async () => {
      expect(await list('?limit=3&sort=name&limits=7')).toHaveLength(3);
    });

    it('answers many different questions at once, each with its own animals', async () => {
      const limits = Array.from({ length: 80 }, (_, index) => (index % 60) + 1);
      const pages = await Promise.all(limits.map((limit) => list(`?limit=${limit}`)));
      expect(pages.map((pets) => pets.length)).toEqual(limits);
    });
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const get = await service.fetch('/v1/pets?limit=2', { key });
    const head = await service.fetch('/v1/pets?limit=2', { key, method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length));
    expect(await head.text()).toBe('');
  });

  describe('400', () => {
    it.each([
      ['limit', 'limit=0'],
      ['limit', 'limit=101'],
      ['limit', 'limit=-1'],
      ['limit', 'limit=%2B5'],
      ['limit', 'limit=05'],
      ['limit', 'limit=5.0'],
      ['limit', 'limit=1e1'],
      ['limit', 'limit=%205'],
      ['limit', 'limit='],
      ['limit', 'limit'],
      ['limit', 'limit=five'],
      ['limit', 'limit=1&limit=2'],
      ['limit', 'limit=1&limit=1'],
      ['limit', 'limit=99999999999999999999'],
      ['status', 'status='],
      ['status', 'status=gone'],
      ['status', 'status=Sold'],
      ['status', 'status=sold&status=sold'],
    ])('names %s as what is wrong with ?%s', async (name, query) => {
      const response = await service.fetch(`/v1/pets?${query}`, { key });
      expect(response.status).toBe(400);
      const body = (await response.json()) as { message: string };
      expect(body).toMatchObject({ code: 'invalid_parameter', status: 400 });
      expect(body.message).toMatch(new RegExp(`^${name} must`));
    });
  });
});
