import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useService } from './support/use-service.js';
import { cases } from './support/cases.js';

const PROBLEM = 'application/problem+json';
const PROBLEM_UTF8 = `${PROBLEM}; charset=utf-8`;
const ERROR_UTF8 = 'application/json; charset=utf-8';

const service = useService();

const notFound = async (accept: string): Promise<Response> => await service.get('/v1/pets/4711', { accept });

const mediaTypeFor = async (accept: string): Promise<string | null> =>
  (await notFound(accept)).headers.get('content-type');

describe('an error for a client that prefers problem details', () => {
  it('is RFC 9457', async () => {
    const response = await notFound(PROBLEM);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe(PROBLEM_UTF8);
    expect(await response.json()).toEqual({
      type: '/docs#error-pet_not_found',
      title: 'There is no pet with this petId.',
      status: 404,
      detail: 'There is no pet with this petId.',
      code: 'pet_not_found',
    });
  });

  it('says what is wrong with each member of a body', async () => {
    const response = await service.post('/v1/pets', '{"name":"","categoryId":7,"status":"gone"}', {
      accept: PROBLEM,
    });
    const { title, detail, code, errors } = (await response.json()) as Record<string, unknown>;
    expect({ title, code }).toEqual({
      title: 'The body does not match the documented schema.',
      code: 'invalid_body',
    });
    expect(detail).toMatch(/^name must be .+\. status must be .+\.$/);
    expect(errors).toEqual([
      { pointer: '#/name', detail: expect.stringMatching(/^name must be .+\.$/) },
      { pointer: '#/status', detail: 'status must be one of available, pending, sold.' },
    ]);
  });

  it.each([
    ['/v1/pets?limit=0&status=gone', ['status', 'limit']],
    ['/v1/pets?limits=7', ['limits']],
    ['/v1/pets?cursor=none', ['cursor']],
    ['/v1/usage?a%22=1', ['a"']],
  ])('names each parameter of %s that is wrong', async (path, names) => {
    const { errors } = (await (await service.get(path, { accept: PROBLEM })).json()) as { errors: object[] };
    expect(errors).toEqual(
      expect.arrayContaining(names.map((parameter) => ({ parameter, detail: expect.any(String) }))),
    );
    expect(errors).toHaveLength(names.length);
  });

  it('has no body in response to HEAD', async () => {
    const response = await service.fetch('/v1/pets', { method: 'HEAD', headers: { accept: PROBLEM } });
    expect([response.status, response.headers.get('content-type')]).toEqual([401, PROBLEM_UTF8]);
    expect(await response.text()).toBe('');
  });
});

describe('Accept', () => {
  it.each([
    PROBLEM,
    'APPLICATION/Problem+JSON',
    `${PROBLEM};q=0.001`,
    `${PROBLEM}, */*`,
    `${PROBLEM};q=0.5, application/*;q=0.9, */*`,
    `application/json;q=0.9, ${PROBLEM}`,
    `application/json;q=0.9,${PROBLEM};q=0.95`,
    `application/json ; Q=0, ${PROBLEM} ; Q=0.1`,
    `text/html, ${PROBLEM};profile="a, application/json"`,
  ])('%s has problem details', async (accept) => {
    expect(await mediaTypeFor(accept)).toBe(PROBLEM_UTF8);
  });

  it.each([
    '',
    '*/*',
    'application/*',
    'application/json',
    'text/html',
    `application/json, ${PROBLEM}`,
    `${PROBLEM}, application/json`,
    `application/json;q=0.5, ${PROBLEM};q=0.5`,
    `application/json, ${PROBLEM};q=0.9`,
    `${PROBLEM};q=0`,
    `${PROBLEM};q=0.000, */*`,
    `${PROBLEM};q=high`,
    `${PROBLEM};q=2`,
    'application/problem+jsonp',
    'application/vnd.problem+json',
    `text/html;profile="a, ${PROBLEM}"`,
    `text/html;profile="a, ${PROBLEM}`,
    `;;,,"\\`,
  ])('%p has the Error body, to the byte', async (accept) => {
    const response = await notFound(accept);
    expect(response.headers.get('content-type')).toBe(ERROR_UTF8);
    expect(await response.text()).toBe(
      '{"code":"pet_not_found","message":"There is no pet with this petId.","status":404}',
    );
  });

  it('selects by quality, in any order and among other ranges', async () => {
    const quality = fc.integer({ min: 0, max: 1000 });
    const others = fc.subarray([
      'text/html',
      '*/*;q=0.8',
      'application/xml;q=0.9',
      'text/plain;format=flowed',
    ]);
    await fc.assert(
      fc.asyncProperty(quality, quality, others, fc.boolean(), async (json, problem, further, isFirst) => {
        const named = [`application/json;q=${json / 1000}`, `${PROBLEM};q=${problem / 1000}`];
        const ranges = isFirst ? [...named, ...further] : [...further, ...named.toReversed()];
        expect(await mediaTypeFor(ranges.join(', '))).toBe(problem > json ? PROBLEM_UTF8 : ERROR_UTF8);
      }),
      { numRuns: cases(50) },
    );
  });

  it('is read even at the maximum header size', async () => {
    for (const accept of [`${PROBLEM}, ${'"\\'.repeat(6000)}`, `${PROBLEM}${','.repeat(12_000)}`]) {
      expect(await mediaTypeFor(accept)).toBe(PROBLEM_UTF8);
    }
  });
});

const varies = async (path: string): Promise<string | null> => (await service.get(path)).headers.get('vary');

describe('Vary', () => {
  const ofOneOrigin = useService({ environment: { CORS_ORIGINS: 'https://shop.example' } });

  it('names Accept for every error, and not for a success', async () => {
    expect([await varies('/v1/pets/4711'), await varies('/nowhere')]).toEqual(['Accept', 'Accept']);
    expect(await varies('/v1/pets')).toBe('Authorization');
  });

  it('names what else the response depends on', async () => {
    expect((await ofOneOrigin.get('/v1/pets/4711')).headers.get('vary')).toBe('Accept, Origin');
    const changed = await ofOneOrigin.fetch('/openapi.json', { headers: { 'if-match': '"another"' } });
    expect([changed.status, changed.headers.get('vary')]).toEqual([412, 'Accept-Encoding, Accept, Origin']);
  });
});
