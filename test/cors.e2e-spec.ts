import { describe, expect, it } from '@jest/globals';
import { startService } from './support/service.js';
import { useService } from './support/use-service.js';

const service = useService();
const origin = 'https://shop.example';

const preflight = (path = '/v1/pets'): Promise<Response> =>
  service.fetch(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, idempotency-key',
    },
  });

describe('CORS', () => {
  it('adds no headers to a response to a request without an Origin, which no page has sent', async () => {
    const { headers } = await service.get('/v1/pets');
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('responds to a preflight without a key, and charges nothing', async () => {
    const [first, second] = [await preflight(), await preflight()];
    expect(first.status).toBe(204);
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    expect(first.headers.get('access-control-allow-methods')).toContain('POST');
    expect(first.headers.get('access-control-allow-headers')).toBe(
      'Authorization, baggage, Content-Type, Idempotency-Key, If-Match, If-None-Match, traceparent, tracestate, X-Request-Id',
    );
    expect(second.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
  });

  it('responds so to a preflight of a URL that cannot be decoded, whose error the page may then read', async () => {
    const [first, second] = [await preflight('/v1/pets/%zz'), await preflight('/v1/pets/%zz')];
    expect([first.status, first.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(second.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
  });

  it('allows only the configured origins, and says to caches that responses vary', async () => {
    const environment = { CORS_ORIGINS: 'https://shop.example, https://admin.example' };
    const strict = await startService({ databaseUrl: service.databaseUrl, environment });
    const { key } = service;
    const responseTo = async (path: string, from: string) => {
      const { headers } = await strict.fetch(path, { key, headers: { origin: from } });
      return [headers.get('access-control-allow-origin'), headers.get('vary')];
    };
    const admin = 'https://admin.example';
    expect(await responseTo('/v1/pets', admin)).toEqual([admin, 'Authorization, Origin']);
    expect(await responseTo('/v1/pets', 'https://evil.example')).toEqual([null, 'Authorization, Origin']);
    expect(await responseTo('/v1/pets/4711', admin)).toEqual([admin, 'Accept, Origin']);
    expect(await responseTo('/openapi.json', admin)).toEqual([admin, 'Accept-Encoding, Origin']);
    expect(await responseTo('/docs', admin)).toEqual([admin, 'Accept-Encoding, Origin']);
    await strict.close();
  });
});
