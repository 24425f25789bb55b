import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { DOCUMENT_COPY, OPERATIONS, type Schema } from './support/document.js';
import { startInState } from './support/http/service-states.js';
import { startService, type TestService } from './support/service.js';

const clock = { nowMs: Date.UTC(2026, 10, 25, 12) };

let service: TestService;
beforeAll(async () => {
  const environment = { ADDRESS_LIMIT_PER_MINUTE: '1', TRUST_PROXY: 'loopback' };
  service = await startService({ environment, clock: { nowMs: () => clock.nowMs } });
});
// Each test has a minute of its own.
beforeEach(() => {
  clock.nowMs += 60_000;
});
afterAll(() => service.close());

const { version } = JSON.parse(readFileSync('client/package.json', 'utf8')) as { version: string };
const CLIENT = `/client/petstore-client-${version}.tgz`;

/** With what each uses up of the limit. */
const DOCUMENTS = [
  ['/openapi.json', 'application/json; charset=utf-8', 1],
  ['/openapi.yaml', 'application/yaml; charset=utf-8', 1],
  ['/docs', 'text/html; charset=utf-8', 1],
  ['/docs.md', 'text/markdown; charset=utf-8', 1],
  ['/llms.txt', 'text/plain; charset=utf-8', 1],
  [CLIENT, 'application/gzip', 1],
  ['/docs/main.js', 'text/javascript; charset=utf-8', 1 / 16],
  ['/docs/base.css', 'text/css; charset=utf-8', 1 / 16],
  ['/docs/icon.svg', 'image/svg+xml; charset=utf-8', 1 / 16],
  ['/favicon.ico', 'image/svg+xml; charset=utf-8', 1 / 16],
] as const;

const send = (path: string, address: string, method = 'GET'): Promise<Response> =>
  service.fetch(path, { method, headers: { 'x-forwarded-for': address }, redirect: 'manual' });

describe('the public documents', () => {
  it.each(DOCUMENTS)(
    '%s needs no key, has a limit of its own, and is cached',
    async (path, mediaType, cost) => {
      for (const [n, method] of ['GET', 'HEAD', 'GET'].entries()) {
        const { status, headers } = await service.fetch(path, { method });
        expect([status, headers.get('content-type')]).toEqual([200, mediaType]);
        expect(headers.get('ratelimit-policy')).toBe('"documents";q=300;w=60');
        expect(headers.get('x-ratelimit-remaining')).toBe(String(Math.floor(300 - (n + 1) * cost)));
        expect(headers.get('cache-control')).toBe('public, no-cache');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
      }
    },
  );

  it.each(OPERATIONS.filter(({ id, method }) => method === 'GET' && id.startsWith('list')))(
    'have lists that are alike: $id takes limit, cursor and sort, and a status may be repeated',
    ({ parameters }) => {
      const schemaOf = (name: string): Schema | undefined =>
        parameters.find((one) => one.in === 'query' && one.name === name)?.schema;
      expect(schemaOf('limit')).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
      expect(schemaOf('cursor')).toMatchObject({ type: 'string' });
      expect(schemaOf('sort')).toMatchObject({ enum: ['id', '-id'], default: 'id' });
      expect(schemaOf('status')?.type ?? 'array').toBe('array');
    },
  );

  it('have the guide and each operation as Markdown, from what the page and the document say', async () => {
    const text = await (await service.fetch('/docs.md')).text();
    const page = await (await service.fetch('/docs')).text();
    const { paths } = (await (await service.fetch('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { summary: string; responses: object }>>;
    };
    for (const [, heading = ''] of page.matchAll(/<section id="[\w-]+" class="prose">\s*<h[12]>(.*?)<\/h/g))
      expect(text).toMatch(new RegExp(`^##? ${heading}$`, 'm'));
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { summary, responses }] of Object.entries(operations)) {
        const [, part = ''] = text.split(`### ${summary}\n`);
        expect(part).toContain(`\`${method.toUpperCase()} /v1${path}\``);
        const [own = ''] = part.split('\n#');
        expect([...own.matchAll(/^- (\d{3}): \S/gm)].map(([, status]) => status)).toEqual(
          Object.keys(responses),
        );
      }
    expect(text).toContain('```\nasync function withRetries(send, attempts = 5) {\n  for (let');
    expect(text).not.toMatch(/<\/?(?:p|code|span|section|[dl][tid]|[hp]\d)\b|&\w+;|\0|undefined|\[object/);
    const listed = await (await service.fetch('/llms.txt')).text();
    for (const [, target = ''] of listed.matchAll(/\]\(([^)]+)\)/g))
      expect((await service.fetch(`/${target}`)).status).toBe(200);
  });

  it('are 300 a minute for a client address, all together; then 429', async () => {
    const paths = [...DOCUMENTS.map(([path]) => path), '/', '/docs/'];
    const parts = new Set<string>(DOCUMENTS.filter(([, , cost]) => cost < 1).map(([path]) => path));
    const whole = paths.filter((path) => !parts.has(path));
    const statuses = new Set<number>();
    for (let n = 0; n < 300; n += 1) {
      const { status } = await send(whole[n % whole.length] ?? '', '192.0.2.1', n % 2 === 0 ? 'GET' : 'HEAD');
      statuses.add(status);
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 308]);
    for (const path of paths) {
      const rejected = await send(path, '192.0.2.1');
      expect(rejected.status).toBe(429);
      expect(await rejected.json()).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(rejected.headers.get('retry-after')).toBe('60');
      expect(rejected.headers.get('ratelimit')).toBe('"documents";r=0;t=60');
      expect(rejected.headers.get('x-ratelimit-remaining')).toBe('0');
    }
    // Nothing else is counted: the one request of the address without a key is still there.
    expect((await send('/v1/pets', '192.0.2.1')).status).toBe(401);
    expect((await send('/docs', '192.0.2.2')).status).toBe(200);
    clock.nowMs += 60_000;
    expect((await send('/docs', '192.0.2.1')).status).toBe(200);
  });

  it('serve the docs page with all of its files sixty times a minute to an address', async () => {
    const page = await send('/docs', '192.0.2.3').then((response) => response.text());
    const named = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    const modules = new Set(named);
    for (const path of modules) {
      if (!path.endsWith('.js')) continue;
      const source = await send(path, '192.0.2.3').then((response) => response.text());
      for (const [, name] of source.matchAll(/from '\.\/([^']+)'/g)) modules.add(`/docs/${name}`);
    }
    expect(modules.size).toBeGreaterThan(15);
    const statuses = new Set<number>();
    for (let load = 1; load < 60; load += 1) {
      for (const path of ['/docs', '/openapi.json', ...modules])
        statuses.add((await send(path, '192.0.2.3')).status);
    }
    expect([...statuses]).toEqual([200]);
  });

  it.each(['/openapi.json', '/openapi.yaml', '/docs', '/docs.md', '/llms.txt', '/docs/main.js'])(
    '%s is compressed for clients that accept it, with a tag for each encoding',
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
        const headers = { 'accept-encoding': encoding ?? 'identity', 'if-none-match': tag ?? '' };
        const response = await service.fetch(path, { headers });
        expect([response.status, response.headers.get('content-encoding')]).toEqual([304, null]);
      }
      const headers = { 'accept-encoding': 'br', 'if-match': '"another"' };
      const failed = await service.fetch(path, { headers });
      expect([failed.status, failed.headers.get('content-encoding')]).toEqual([412, null]);
    },
  );

  it('list the plans as the table has them, and the public address as the server', async () => {
    const { pool, databaseUrl } = service;
    await pool.query(
      `insert into plans (id, requests_per_minute, requests_per_day) values ('small', 7, 1234)`,
    );
    const environment = { PUBLIC_URL: 'https://api.example.com' };
    const published = await startService({ databaseUrl, environment });
    const document = (await (await published.fetch('/openapi.json')).json()) as {
      readonly info: { readonly description: string };
      readonly servers: readonly object[];
      readonly 'x-plans': readonly object[];
    };
    const { info, servers, 'x-plans': plans } = document;
    expect(plans[0]).toEqual({ id: 'small', requestsPerMinute: 7, requestsPerDay: 1234 });
    expect(plans.at(-1)).toMatchObject({ requestsPerMinute: null, requestsPerDay: null });
    expect(info.description).toContain('`small` | 7 | 1,234\n');
    expect(info.description).toContain(' | set for each key | set for each key');
    expect(servers).toEqual([{ url: 'https://api.example.com/v1' }]);
    expect(parse(await (await published.fetch('/openapi.yaml')).text())).toEqual(document);
    await published.close();
  });

  it('are the checked-in copy, to the byte, where the plans cannot be read', async () => {
    const running = await startInState('no database');
    expect(await (await running.service.fetch('/openapi.yaml')).text()).toBe(DOCUMENT_COPY);
    await running.close();
  });

  it('include a docs page that loads nothing from elsewhere, runs nothing inline, and cannot be framed', async () => {
    const page = await service.fetch('/docs');
    const headers = {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('geolocation=()'),
    };
    expect(Object.fromEntries(page.headers)).toMatchObject(headers);
    expect(await page.text()).not.toMatch(
      /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|(?:src|href)="(?:https?:)?\/\//,
    );
  });

  it.each(['/', '/docs/'])('%s redirects to the docs page, also with a public address', async (path) => {
    const published = await startService({
      databaseUrl: service.databaseUrl,
      environment: { PUBLIC_URL: 'https://api.example.com' },
    });
    for (const [{ fetch }, location] of [
      [service, '/docs'],
      [published, 'https://api.example.com/docs'],
    ] as const) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await fetch(path, { method, redirect: 'manual' });
        expect([status, headers.get('location')]).toEqual([308, location]);
        expect(headers.get('x-ratelimit-remaining')).not.toBeNull();
      }
    }
    await published.close();
  });
});
