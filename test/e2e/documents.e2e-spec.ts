import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startService({ environment: { ADDRESS_LIMIT_PER_MINUTE: '1' } });
});
afterAll(() => service.close());

const DOCUMENTS = [
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/openapi.yaml', 'application/yaml; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/main.js', 'text/javascript; charset=utf-8'],
  ['/docs/base.css', 'text/css; charset=utf-8'],
  ['/docs/icon.svg', 'image/svg+xml; charset=utf-8'],
] as const;

describe('the public documents', () => {
  it.each(DOCUMENTS)('%s needs no key, and counts against nobody', async (path, mediaType) => {
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await service.fetch(path, { method, headers: { origin: 'https://shop.example' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(mediaType);
      expect(response.headers.get('ratelimit-policy')).toBe('"address";q=1;w=60');
      expect(response.headers.get('x-ratelimit-remaining')).toBe('1');
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      await response.arrayBuffer();
    }
  });

  it.each(DOCUMENTS.map(([path]) => path))('%s: 304 to those who have it, whoever they are', async (path) => {
    const full = await service.fetch(path);
    expect(full.headers.get('cache-control')).toBe('public, no-cache');
    const etag = full.headers.get('etag') ?? '';
    const again = await service.fetch(path, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each(DOCUMENTS.map(([path]) => path).slice(0, 2))(
    '%s: is compressed for clients that accept it, with a tag for each encoding',
    async (path) => {
      const encodings = [
        ['identity', null],
        ['gzip', 'gzip'],
        ['gzip, deflate, br', 'br'],
        ['br;q=0.1, gzip', 'gzip'],
        ['br;q=0, *', 'gzip'],
        ['zstd', null],
      ] as const;
      const tags = new Map<string | null, string | null>();
      const bodies = new Set<string>();
      for (const [accepted, encoding] of encodings) {
        const response = await service.fetch(path, { headers: { 'accept-encoding': accepted } });
        expect([accepted, response.headers.get('content-encoding')]).toEqual([accepted, encoding]);
        expect(response.headers.get('vary')).toBe('Accept-Encoding');
        tags.set(encoding, response.headers.get('etag'));
        bodies.add(await response.text());
      }
      expect([bodies.size, new Set(tags.values()).size]).toEqual([1, 3]);
      for (const [encoding, tag] of tags) {
        const response = await service.fetch(path, {
          headers: { 'accept-encoding': encoding ?? 'identity', 'if-none-match': tag ?? '' },
        });
        expect([response.status, response.headers.get('content-encoding')]).toEqual([304, null]);
      }
    },
  );

  it('vary by the origin, too, when origins are configured', async () => {
    const few = await startService({
      databaseUrl: service.databaseUrl,
      environment: { CORS_ORIGINS: 'https://shop.example' },
    });
    expect((await few.fetch('/openapi.json')).headers.get('vary')).toBe('Accept-Encoding, Origin');
    expect((await few.fetch('/docs')).headers.get('vary')).toBe('Origin');
    await few.close();
  });

  it('are a plain error when If-Match matches no encoding', async () => {
    const response = await service.fetch('/openapi.json', {
      headers: { 'accept-encoding': 'br', 'if-match': '"another"' },
    });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([412, null]);
    expect(await response.json()).toMatchObject({ code: 'precondition_failed' });
  });

  it('list the plans as the table has them', async () => {
    const { pool, databaseUrl } = service;
    await pool.query(
      "insert into plans (id, requests_per_minute, requests_per_day) values ('small', 7, 1234)",
    );
    const other = await startService({ databaseUrl });
    const { info, 'x-plans': plans } = (await (await other.fetch('/openapi.json')).json()) as {
      readonly info: { readonly description: string };
      readonly 'x-plans': readonly object[];
    };
    expect(plans[0]).toEqual({ id: 'small', requestsPerMinute: 7, requestsPerDay: 1234 });
    expect(plans.at(-1)).toMatchObject({ requestsPerMinute: null, requestsPerDay: null });
    expect(info.description).toContain('`small` | 7 | 1,234\n');
    expect(info.description).toContain(' | set for each key | set for each key');
    await other.close();
  });

  it('say the same in JSON and in YAML', async () => {
    const json = await (await service.fetch('/openapi.json')).text();
    const yaml = await (await service.fetch('/openapi.yaml')).text();
    expect(parse(yaml)).toEqual(JSON.parse(json));
  });

  it.each(DOCUMENTS.map(([path]) => path))(
    '%s: is what its media type says, whatever it looks like',
    async (path) => {
      expect((await service.fetch(path)).headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it('let the docs page load nothing from elsewhere, run nothing inline, and be framed by nobody', async () => {
    const page = await service.fetch('/docs');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    for (const [name, value] of [
      ['x-frame-options', 'DENY'],
      ['referrer-policy', 'no-referrer'],
      ['cross-origin-opener-policy', 'same-origin'],
      ['cross-origin-resource-policy', 'same-origin'],
      ['permissions-policy', expect.stringContaining('geolocation=()')],
    ] as const) {
      expect([name, page.headers.get(name)]).toEqual([name, value]);
    }
    const html = await page.text();
    expect(html).not.toMatch(
      /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|(?:src|href)="(?:https?:)?\/\//,
    );
  });

  it('name the public address as the server, when it was configured', async () => {
    const published = await startService({
      databaseUrl: service.databaseUrl,
      environment: { PUBLIC_URL: 'https://api.example.com' },
    });
    const { servers } = (await (await published.fetch('/openapi.json')).json()) as { servers: object[] };
    expect(servers).toEqual([{ url: 'https://api.example.com/v1' }]);
    await published.close();
  });

  it('are there under their exact paths alone, and what else there is is not told without a key', async () => {
    const strange = await startService({ databaseUrl: service.databaseUrl });
    for (const path of ['/docs/', '/Docs', '/docs/nothing.js', '/docs/..%2fmain.js', '/openapi']) {
      expect([path, (await strange.fetch(path)).status]).toEqual([path, 401]);
    }
    await strange.close();
  });
});
