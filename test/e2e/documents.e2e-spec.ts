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
      const response = await service.fetch(path, { method });
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
