import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERROR_CODES, type ErrorCode } from '../src/errors/error-codes.js';
import { cases } from './support/cases.js';
import { useService } from './support/use-service.js';

const PROBLEM = 'application/problem+json';

const service = useService();

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

const send = async ({ method, path, body }: Sent, accept = 'application/json'): Promise<Response> =>
  body === undefined
    ? await service.fetch(path, { key: service.key, method, headers: { accept } })
    : await service.send(method, path, body, { accept });

const get = (path: string): Sent => ({ method: 'GET', path });

const post = (path: string, body: string): Sent => ({ method: 'POST', path, body });

const pet = (body: string): Sent => post('/v1/pets', body);

describe('a message', () => {
  it.each([
    [pet('{}'), 'name is required. categoryId is required.'],
    [pet('{"name":"Rex","categoryId":"7"}'), 'categoryId must be a JSON number, not a string.'],
    [pet('{"name":true,"categoryId":7}'), 'name must be a JSON string, not a boolean.'],
    [pet('{"name":"Rex","categoryId":7,"status":null}'), 'status must be a JSON string, not null.'],
    [pet('{"name":"Rex","categoryId":1.5}'), 'categoryId must be a 64-bit integer.'],
    [pet('{"name":"Rex","categoryId":9223372036854775808}'), 'categoryId must be a 64-bit integer.'],
    [pet('{"name":"Rex",\n "categoryId":7,}'), 'The body is not valid JSON: see line 2, column 17.'],
    [pet(''), 'The body is empty.'],
    [pet('{"name":"Rex"'), 'The body is not valid JSON: see line 1, column 14.'],
    [pet(`{"name": 'Rex'}`), 'The body is not valid JSON: see line 1, column 10.'],
    [pet('['.repeat(60_000)), 'The body is not valid JSON.'],
    [
      get('/v1/pets?id=1,2'),
      'id must be a 64-bit integer, given at most 100 times. For several, repeat it: id=1&id=2.',
    ],
    [
      get('/v1/store/orders?status=placed,approved'),
      'status must be one of placed, approved, delivered, cancelled. ' +
        'For several, repeat it: status=placed&status=approved.',
    ],
    [get('/v1/pets?categoryId=1&categoryId=2'), 'categoryId may be given only once.'],
    [get('/v1/pets?sort=id&sort=-id'), 'sort may be given only once.'],
    [get('/v1/categories?name=a&name=b'), 'name may be given only once.'],
    [get('/v1/pets/'), 'This path does not exist, but "/v1/pets" does: remove the trailing slash.'],
    [
      get('/v1/pets/7/?a=1'),
      'This path does not exist, but "/v1/pets/{petId}" does: remove the trailing slash.',
    ],
    [get('/v1/pets//'), 'This path does not exist.'],
    [get('/v1/pet/'), 'This path does not exist.'],
    [get('/v1/'), 'This path does not exist.'],
  ])('says what to do: %j', async (sent, message) => {
    expect(await (await send(sent)).json()).toMatchObject({ message });
  });

  it('of a body says of each member that it is missing, of another type or no value of its own', async () => {
    const member = fc.constantFrom(undefined, '"Rex"', '""', '7', '1.5', '-0', 'null', 'true', '[]', '{}');
    await fc.assert(
      fc.asyncProperty(member, member, async (name, categoryId) => {
        const members = Object.entries({ name, categoryId }).filter(([, value]) => value !== undefined);
        const body = `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`;
        const response = await send(pet(body), PROBLEM);
        const { errors = [] } = (await response.json()) as { errors?: { detail: string }[] };
        expect(errors.map(({ detail }) => detail.split(' 1 to ')[0])).toEqual([
          ...faultsOf('name', 'string', name),
          ...faultsOf('categoryId', 'number', categoryId),
        ]);
        expect(response.status).toBe(errors.length === 0 ? 201 : 400);
      }),
      { numRuns: cases(200) },
    );
  });
});

const TYPES: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'a boolean',
  '[]': 'an array',
  '{}': 'an object',
};

function faultsOf(name: string, type: 'string' | 'number', text: string | undefined): readonly string[] {
  if (text === undefined) return [`${name} is required.`];
  const given = TYPES[text] ?? (text.startsWith('"') ? 'a string' : 'a number');
  if (given !== `a ${type}`) return [`${name} must be a JSON ${type}, not ${given}.`];
  if (text === '""') return [`${name} must be a string of`];
  return text === '1.5' ? [`${name} must be a 64-bit integer.`] : [];
}

type MemberCode = {
  [Code in ErrorCode]: (typeof ERROR_CODES)[Code] extends { member: string } ? Code : never;
}[ErrorCode];

const created = async (path: string, body: string): Promise<string> =>
  (await (await send(post(path, body))).text()).match(/"id":(\d+)/)?.[1] ?? 'none';

const newPet = (status: string): Promise<string> =>
  created('/v1/pets', `{"name":"Rex","categoryId":7,"status":"${status}"}`);

const orderedPet = async (): Promise<{ readonly id: string; readonly order: string }> => {
  const id = await newPet('available');
  return { id, order: await created('/v1/store/orders', `{"petId":${id}}`) };
};

/** A request that one of its members makes fail with the code. */
const CAUSES: Readonly<Record<MemberCode, () => Promise<Sent>>> = {
  unknown_pet: () => Promise.resolve(post('/v1/store/orders', '{"petId":4711000}')),
  pet_not_available: async () => post('/v1/store/orders', `{"petId":${await newPet('sold')}}`),
  pet_has_open_order: async () => {
    const { id } = await orderedPet();
    return { method: 'PATCH', path: `/v1/pets/${id}`, body: '{"status":"sold"}' };
  },
  order_transition_not_allowed: async () => {
    const { order } = await orderedPet();
    return { method: 'PATCH', path: `/v1/store/orders/${order}`, body: '{"status":"delivered"}' };
  },
  category_exists: async () => {
    await send(post('/v1/categories', '{"name":"Dogs"}'));
    return post('/v1/categories', '{"name":"dogs"}');
  },
};

describe('an error that one member causes', () => {
  it.each(Object.keys(CAUSES) as MemberCode[])(
    'names it in problem details, and not in the Error body: %s',
    async (code) => {
      const sent = await CAUSES[code]();
      const { status, message: title, member } = ERROR_CODES[code];
      const error = (await (await send(sent)).json()) as { readonly message: string };
      expect(error).toEqual({ code, message: error.message, status });
      expect(await (await send(sent, PROBLEM)).json()).toEqual({
        ...{ type: `/docs#error-${code}`, code, title, status, detail: error.message },
        errors: [{ pointer: `#/${member}`, detail: error.message }],
      });
    },
  );

  it('is caused by no member where there is no body', async () => {
    const { id } = await orderedPet();
    const response = await send({ method: 'DELETE', path: `/v1/pets/${id}` }, PROBLEM);
    const problem = await response.json();
    expect(problem).toMatchObject({ code: 'pet_has_open_order', status: 409 });
    expect(problem).not.toHaveProperty('errors');
  });
});
