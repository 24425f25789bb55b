import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';
import { addPet, placeOrder } from '../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
  await placeOrder(service, key, await addPet(service));
});
afterAll(() => service.close());

const read = (path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Response> =>
  service.fetch(path, { ...(path.startsWith('/v1') && { key }), method, headers });

const etagOf = async (path: string): Promise<string> => (await read(path, {})).headers.get('etag') ?? '';

const PATHS = [
  '/v1/pets',
  '/v1/pets?limit=1',
  '/v1/pets/1',
  '/v1/store/orders',
  '/v1/store/orders/1',
  '/v1/store/inventory',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs/main.js',
] as const;

const ERROR = {
  code: 'precondition_failed',
  message: 'The resource has changed: If-Match does not match its current ETag.',
  status: 412,
};

describe.each(PATHS)('If-Match on GET and HEAD %s', (path) => {
  it('200 when it names the ETag of the response, alone or in a list, or is *', async () => {
    const etag = await etagOf(path);
    for (const ifMatch of [etag, `"other", ${etag}`, `W/"weak", ${etag}, "other"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await read(path, { 'if-match': ifMatch }, method);
        expect([method, ifMatch, response.status]).toEqual([method, ifMatch, 200]);
        expect(response.headers.get('etag')).toBe(etag);
      }
    }
  });

  it('412 when it does not, also when the tag is weak or the value malformed', async () => {
    const etag = await etagOf(path);
    for (const ifMatch of ['"other"', `W/${etag}`, etag.slice(1, -1), `${etag} "b"`, `*, ${etag}`, '']) {
      const response = await read(path, { 'if-match': ifMatch });
      expect([ifMatch, response.status, await response.json()]).toEqual([ifMatch, 412, ERROR]);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
      expect(response.headers.get('link') ?? '').not.toContain('rel="first"');
      const head = await read(path, { 'if-match': ifMatch }, 'HEAD');
      expect([ifMatch, head.status, await head.text()]).toEqual([ifMatch, 412, '']);
    }
  });

  it('comes before If-None-Match', async () => {
    const etag = await etagOf(path);
    const failed = await read(path, { 'if-match': '"other"', 'if-none-match': etag });
    expect(failed.status).toBe(412);
    const unchanged = await read(path, { 'if-match': etag, 'if-none-match': etag });
    expect(unchanged.status).toBe(304);
    const changed = await read(path, { 'if-match': etag, 'if-none-match': '"other"' });
    expect(changed.status).toBe(200);
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

  it.each([
    ['/v1/pets', '{"name":"Rex","categoryId":1}'],
    ['/v1/store/orders', '{"petId":{fresh}}'],
  ])('is ignored by POST %s, which changes no record that a client has seen', async (path, body) => {
    for (const ifMatch of ['"other"', 'malformed', '*']) {
      const response = await service.fetch(path, {
        method: 'POST',
        key,
        body: body.replace('{fresh}', String(await addPet(service))),
        headers: { 'content-type': 'application/json', 'if-match': ifMatch },
      });
      expect(response.status).toBe(201);
    }
  });
});
