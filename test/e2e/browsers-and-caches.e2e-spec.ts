import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';

const origin = 'https://shop.example';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
  await service.pool.query(
    `insert into pets (name, category_id) select 'Pet ' || n, n from generate_series(1, 30) as n`,
  );
});
afterAll(() => service.close());

const preflight = (): Promise<Response> =>
  service.fetch('/v1/pets', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://shop.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, idempotency-key',
    },
  });

describe('conditional requests', () => {
  it.each(['/v1/pets', '/v1/pets?limit=3', '/v1/pets/7'])(
    '%s: 304 without a body while nothing changed',
    async (path) => {
      const full = await service.fetch(path, { key, headers: { origin } });
      const etag = full.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{22}"$/);
      expect(full.headers.get('cache-control')).toBe('private, no-cache');
      expect(full.headers.get('vary')).toBe('Authorization');
      for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const headers = { origin, 'if-none-match': ifNoneMatch };
        const unchanged = await service.fetch(path, { key, headers });
        expect(unchanged.status).toBe(304);
        expect(await unchanged.text()).toBe('');
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
    },
  );

  it('200 with another ETag as soon as something changed', async () => {
    const before = await service.fetch('/v1/pets/9', { key });
    await service.pool.query(`update pets set name = 'Changed' where id = 9`);
    const etag = before.headers.get('etag') ?? '';
    const after = await service.fetch('/v1/pets/9', { key, headers: { 'if-none-match': etag } });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(etag);
  });

  it('HEAD answers with the ETag of GET, and 304 like it', async () => {
    const get = await service.fetch('/v1/pets', { key });
    const etag = get.headers.get('etag') ?? '';
    const head = await service.fetch('/v1/pets', { key, method: 'HEAD' });
    expect(head.headers.get('etag')).toBe(etag);
    const unchanged = await service.fetch('/v1/pets', {
      key,
      method: 'HEAD',
      headers: { 'if-none-match': etag },
    });
    expect(unchanged.status).toBe(304);
  });

  it('keeps caches away from errors and writes', async () => {
    const missing = await service.fetch('/v1/pets/4711', { key });
    const created = await service.fetch('/v1/pets', {
      method: 'POST',
      key,
      body: '{"name":"Rex","categoryId":1}',
      headers: { 'content-type': 'application/json' },
    });
    const undecodable = await service.fetch('/%zz', { key });
    for (const response of [missing, created, undecodable]) {
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('CORS', () => {
  it.each<[number, string, string, string | undefined]>([
    [200, 'GET', '/v1/pets', undefined],
    [400, 'POST', '/v1/pets', '{'],
    [400, 'GET', '/v1/pets?limit=x', undefined],
    [404, 'GET', '/nowhere', undefined],
    [404, 'GET', '/v1/pets/4711', undefined],
    [405, 'POST', '/v1/usage', '{}'],
  ])('exposes every header that a client needs: %i to %s %s', async (status, method, path, body) => {
    const headers = { origin, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body }) };
    for (const [response, expected] of [
      [await service.fetch(path, { ...init, key }), status],
      [await service.fetch(path, init), 401],
    ] as const) {
      expect(response.status).toBe(expected);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(', ');
      expect(exposed).toEqual(
        expect.arrayContaining([
          ...['link', 'location', 'etag', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'],
          ...[
            'x-ratelimit-reset',
            'ratelimit',
            'ratelimit-policy',
            'idempotency-replayed',
            'deprecation',
            'sunset',
          ],
        ]),
      );
    }
  });

  it('has no headers for requests without an Origin, which no page has sent', async () => {
    const { headers } = await service.fetch('/v1/pets', { key });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers a preflight without a key and without a charge', async () => {
    const first = await preflight();
    expect(first.status).toBe(204);
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    expect(first.headers.get('access-control-allow-methods')).toContain('POST');
    expect(first.headers.get('access-control-allow-headers')).toBe(
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, traceparent, X-Request-Id',
    );
    const second = await preflight();
    expect(second.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
  });

  it('takes any other OPTIONS for an ordinary request', async () => {
    expect((await service.fetch('/v1/pets', { method: 'OPTIONS' })).status).toBe(401);
    expect((await service.fetch('/v1/pets', { method: 'OPTIONS', key })).status).toBe(405);
  });

  it('allows listed origins alone, and tells caches that it differs', async () => {
    const strict = await startService({
      databaseUrl: service.databaseUrl,
      environment: { CORS_ORIGINS: 'https://shop.example, https://admin.example' },
    });
    const allowed = await strict.fetch('/v1/pets', { key, headers: { origin: 'https://admin.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://admin.example');
    expect(allowed.headers.get('vary')).toBe('Authorization, Origin');
    const foreign = await strict.fetch('/v1/pets', { key, headers: { origin: 'https://evil.example' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(foreign.headers.get('vary')).toBe('Authorization, Origin');
    const notKept = await strict.fetch('/v1/pets/4711', { key });
    expect(notKept.headers.get('vary')).toBe('Origin');
    await strict.close();
  });
});
