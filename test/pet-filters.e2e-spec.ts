import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cases } from './support/cases.js';
import { OPERATIONS } from './support/document.js';
import { useService } from './support/use-service.js';

const service = useService();

interface ListedPet {
  readonly id: number;
  readonly categoryId: number;
  readonly status?: string;
}

const STATUSES = ['available', 'pending', 'sold'] as const;
let pets: readonly ListedPet[];

/** Pets of three categories with all statuses and none, with gaps between their identifiers. */
beforeAll(async () => {
  await service.pool.query(`
    insert into pets (id, name, category_id, status)
    select 3 * n - 100, 'Pet', n % 3, (array['available', 'sold', null, 'available', 'pending'])[n % 5 + 1]::pet_status
    from generate_series(1, 60) as n`);
  pets = (await (await service.get('/v1/pets?limit=100')).json()) as readonly ListedPet[];
  expect(pets).toHaveLength(60);
});

interface Query {
  readonly id?: readonly number[];
  readonly status?: readonly string[];
  readonly categoryId?: number;
  readonly sort?: 'id' | '-id';
}

const query: fc.Arbitrary<Query> = fc.record(
  {
    id: fc.array(fc.integer({ min: -100, max: 90 }), { minLength: 1, maxLength: 100, size: 'max' }),
    status: fc.array(fc.constantFrom(...STATUSES), { minLength: 1, maxLength: 4 }),
    categoryId: fc.integer({ min: 0, max: 3 }),
    sort: fc.constantFrom('id' as const, '-id' as const),
  },
  { requiredKeys: [] },
);

function textOf(members: Query): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(members) as [string, unknown][])
    for (const one of [value].flat()) text.append(name, String(one));
  return String(text);
}

function expected({ id, status, categoryId, sort }: Query): readonly ListedPet[] {
  const passing = pets.filter(
    (pet) =>
      (id === undefined || id.includes(pet.id)) &&
      (status === undefined || status.includes(pet.status ?? '')) &&
      (categoryId === undefined || categoryId === pet.categoryId),
  );
  return sort === '-id' ? passing.toReversed() : passing;
}

const nextOf = (response: Response): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];

describe('the filters of GET /v1/pets', () => {
  it('return each matching pet once, in list order, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 100 }), async (one, limit) => {
        const found: ListedPet[] = [];
        let path: string | undefined = `/v1/pets?${textOf(one)}&limit=${limit}`;
        while (path !== undefined) {
          const response = await service.get(path);
          const page = (await response.json()) as readonly ListedPet[];
          path = nextOf(response);
          expect(page.length).toBe(Math.min(limit, expected(one).length - found.length));
          found.push(...page);
        }
        expect(found).toEqual(expected(one));
      }),
      { numRuns: cases(150) },
    );
  });

  it('of concurrent requests return each its own pets', async () => {
    const queries = fc.sample(query, 200);
    const pages = await Promise.all(
      queries.map(async (one) => (await service.get(`/v1/pets?${textOf(one)}&limit=100`)).json()),
    );
    expect(pages).toEqual(queries.map(expected));
  });

  it('take 100 identifiers of any int64, and find none that does not exist', async () => {
    const ids = Array.from({ length: 98 }, (_, n) => 10n ** 17n + BigInt(n));
    const edges = [-(2n ** 63n), 2n ** 63n - 1n];
    await service.pool.query(`insert into pets (id, name, category_id) values ($1, 'Edge', $1)`, [edges[1]]);
    const path = `/v1/pets?${[...ids, ...edges].map((id) => `id=${id}`).join('&')}`;
    expect(await (await service.get(path)).text()).toBe(
      '[{"id":9223372036854775807,"name":"Edge","categoryId":9223372036854775807}]',
    );
    await service.pool.query('delete from pets where id = $1', [edges[1]]);
  });

  it('are bound to a cursor, in any order', async () => {
    const first = await service.get('/v1/pets?status=sold&status=available&limit=1');
    const cursor = new URL(nextOf(first) ?? '', 'http://service').searchParams.get('cursor');
    const reordered = '/v1/pets?status=available&status=sold&status=available&limit=2';
    expect((await service.get(`${reordered}&cursor=${cursor}`)).status).toBe(200);
    for (const other of [
      'status=sold',
      'status=available&status=sold&sort=-id',
      'id=1',
      'categoryId=1',
      '',
    ]) {
      expect(await (await service.get(`/v1/pets?${other}&cursor=${cursor}`)).json()).toMatchObject({
        code: 'invalid_parameter',
        message: expect.stringMatching(/^cursor must come from/),
      });
    }
  });
});

/** The message about these parameters, of which `GET /v1/usage` has none. */
const messageOf = async (names: readonly string[]): Promise<string> => {
  const response = await service.get(`/v1/usage?${names.join('&')}`);
  return ((await response.json()) as { readonly message: string }).message;
};

describe('an unknown query parameter', () => {
  it.each([
    ['/v1/pets?limits=7', '"limits"', 'listPets'],
    ['/v1/store/orders?petID=7&status=placed', '"petID"', 'listOrders'],
    ['/v1/pets?Limit=7', '"Limit"', 'listPets'],
    ['/v1/pets?__proto__=7', '"__proto__"', 'listPets'],
  ])('of %s is 400 with the known ones', async (path, name, operation) => {
    const { parameters = [] } = OPERATIONS.find(({ id }) => id === operation) ?? {};
    const error = (await (await service.get(path)).json()) as { readonly message: string };
    expect(error).toMatchObject({ code: 'invalid_parameter', status: 400 });
    const [said, known = ''] = error.message.split(' The query parameters of this operation are ');
    expect(said).toBe(`${name} is not a known query parameter.`);
    const names = parameters.filter((one) => one.in === 'query').map((one) => one.name);
    expect(new Set(known.replace('.', '').split(', '))).toEqual(new Set(names));
  });

  it('names each of several, up to ten', async () => {
    expect(await messageOf(['a', 'b'])).toBe(
      '"a" is not a known query parameter. "b" is not a known query parameter. This operation has no query parameters.',
    );
    const many = Array.from({ length: 2000 }, (_, i) => i.toString(36));
    expect(await messageOf(many)).toMatch(
      /^"0" is not .*"9" is not a known query parameter\. Nor are 1990 more\. This operation has no query parameters\.$/,
    );
  });

  it.each(['/v1/store/inventory', '/v1/usage', '/v1/pets/1', '/v1/store/orders/1'])(
    'of %s is 400, as it has none',
    async (path) => {
      expect(await (await service.get(`${path}?a%22=1`)).json()).toEqual({
        code: 'invalid_parameter',
        message: '"a\\"" is not a known query parameter. This operation has no query parameters.',
        status: 400,
      });
    },
  );

  it('keeps a write from being executed', async () => {
    const count = (): Promise<unknown> =>
      service.pool.query('select count(*) from pets').then(({ rows }) => rows);
    const before = await count();
    const response = await service.send('POST', '/v1/pets?dryRun=true', '{"name":"Rex","categoryId":7}');
    expect(response.status).toBe(400);
    expect(await count()).toEqual(before);
  });

  it.each(['/docs', '/openapi.json', '/openapi.yaml'])('of %s is ignored', async (path) => {
    expect((await service.fetch(`${path}?v=2`)).status).toBe(200);
  });
});
