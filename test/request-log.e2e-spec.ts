import { connect } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { eventually } from './support/eventually.js';
import { holdOpen } from './support/operators.js';
import { sendRaw } from './support/wire.js';
import { useService } from './support/use-service.js';

type Line = Readonly<Record<string, unknown>>;

const TRACE = '0af7651916cd43dd8448eb211c80319c';

const lines: string[] = [];
const service = useService({ onLogLine: (line) => lines.push(line), provokes503: true });
beforeEach(() => void lines.splice(0));

/** The line is written before the response is. */
const line = (): Line => {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? '') as Line;
};

describe('a request has one line', () => {
  it('with the key, the operation and the status', async () => {
    const response = await service.get('/v1/pets?limit=1', {
      traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
      'x-request-id': 'shop/1',
    });
    expect(response.headers.get('x-request-id')).toBe('shop/1');
    expect(line()).toEqual({
      level: 30,
      time: expect.any(String),
      requestId: 'shop/1',
      method: 'GET',
      operation: 'listPets',
      path: '/v1/pets',
      status: 200,
      ms: expect.any(Number),
      keyId: String(service.keyId),
      plan: 'business',
      traceId: TRACE,
      clientAddress: '127.0.0.1',
      msg: 'request',
    });
  });

  it('that says why admission rejected the request, and which limit did', async () => {
    const { key } = await service.issueKey({ perDay: 1 });
    await service.fetch('/v1/pets', { key });
    lines.splice(0);
    await service.fetch('/v1/pets', { key });
    expect(line()).toMatchObject({ status: 429, code: 'rate_limit_exceeded', rejectedBy: 'day' });
    lines.splice(0);
    await service.fetch('/v1/pets');
    expect(line()).toMatchObject({ status: 401, code: 'missing_api_key' });
    expect(line()).not.toHaveProperty('rejectedBy');
  });

  it.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', 'expires_at = now()'],
  ])('with the key that is %s, which its customer asks about', async (state, assignments) => {
    const { id, key } = await service.issueKey();
    await service.pool.query(`update api_keys set ${assignments} where id = $1`, [id]);
    await service.fetch('/v1/pets', { key });
    expect(line()).toMatchObject({ status: 401, code: `${state}_api_key`, keyId: String(id) });
  });

  it('with only the stored prefix of an undecided key', async () => {
    const lock = await holdOpen(service.databaseUrl, 'lock table api_keys in access exclusive mode', []);
    const response = await service.fetch('/v1/pets', { key: service.key });
    await lock.stop();
    expect(response.status).toBe(503);
    const written = lines.find((text) => text.includes('"request"')) ?? '';
    expect(JSON.parse(written)).toMatchObject({ status: 503, keyPrefix: service.key.slice(0, 12) });
    expect(written).not.toContain(service.key.slice(0, 13));
  });

  it('with why it was 503: another transaction had locked its row', async () => {
    const { rows } = await service.pool.query<{ id: string }>(
      `insert into pets (name, category_id) values ('Held', 1) returning id::text`,
    );
    const lock = await holdOpen(service.databaseUrl, 'select from pets where id = $1 for update', [
      rows[0]?.id ?? '',
    ]);
    const { key } = await service.issueKey();
    const response = await service.fetch(`/v1/pets/${rows[0]?.id}`, {
      key,
      method: 'PATCH',
      body: '{"name":"Rex"}',
      headers: { 'content-type': 'application/json' },
    });
    await lock.stop();
    expect(response.status).toBe(503);
    const written = lines.find((text) => text.includes('"PATCH"')) ?? '';
    expect(JSON.parse(written)).toMatchObject({ status: 503, err: { reason: 'row-locked' } });
    const metrics = await service.app.get(Registry).metrics();
    expect(metrics).toContain('petstore_unavailable_total{reason="row-locked"} 1');
  });

  it.each([`00-${TRACE}-0000000000000000-01`, `00-${TRACE}-b7ad6b7169203331-01-more`])(
    'without a trace when the one that came is malformed: %s',
    async (traceparent) => {
      await service.get('/v1/pets', { traceparent });
      expect(line()).not.toHaveProperty('traceId');
    },
  );

  it('with the trace of a later version, which may say more', async () => {
    await service.get('/v1/pets', { traceparent: `01-${TRACE}-b7ad6b7169203331-01-more` });
    expect(line()).toMatchObject({ traceId: TRACE });
  });

  it.each<[string, string, RequestInit & { readonly key?: string }, Line]>([
    ['HEAD', '/v1/pets/1', { method: 'HEAD' }, { method: 'HEAD', operation: 'getPet', status: 401 }],
    ['a public document', '/openapi.json', {}, { operation: 'readOpenApiJson', status: 200 }],
    ['a preflight', '/v1/pets', preflight(), { method: 'OPTIONS', status: 204 }],
    ['an unknown path', '/v1/nothing', {}, { path: '/v1/nothing', status: 401 }],
    ['256 characters of a path', '/v1/'.padEnd(300, 'x'), {}, { path: '/v1/'.padEnd(256, 'x'), status: 401 }],
  ])('also %s', async (_what, path, options, expected) => {
    const response = await service.fetch(path, options);
    expect(line()).toMatchObject({ ...expected, requestId: response.headers.get('x-request-id') });
  });

  it.each([
    ['whole', '{"name":"Rex","categoryId":1}'],
    ['a part', '{"name":"Rex"'],
  ])('also where the client leaves as soon as it has sent its body, %s', async (_how, body) => {
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json`;
    const bytes = `${head}\r\nContent-Length: 29\r\n\r\n${body}`;
    const clients = Array.from({ length: 10 }, () => connect(service.port, '127.0.0.1'));
    for (const client of clients) client.write(bytes, () => client.destroy());
    await eventually(() => expect(lines).toHaveLength(clients.length));
    const ids = new Set(lines.map((text) => (JSON.parse(text) as Line)['requestId']));
    expect(ids.size).toBe(clients.length);
  });

  it.each([
    [
      'a target that cannot be decoded',
      'GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n',
      { status: 401, path: '/%zz' },
    ],
    ['bytes that are no HTTP', 'HELLO\r\n\r\n', { status: 400 }],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', { status: 401 }],
  ])('also %s', async (_what, bytes, expected) => {
    const response = await sendRaw(service.port, bytes);
    expect(line()).toMatchObject({ ...expected, requestId: response.headers.get('x-request-id')?.[0] });
  });

  it('is an error, once and with its cause, when the failure is unexpected', async () => {
    await service.pool.query('alter table pets rename to other_pets');
    const response = await service.get('/v1/pets?limit=7', { 'x-request-id': 'broken/1' });
    await service.pool.query('alter table other_pets rename to pets');
    expect(response.status).toBe(500);
    expect(response.headers.get('x-request-id')).toBe('broken/1');
    expect(line()).toMatchObject({
      level: 50,
      requestId: 'broken/1',
      status: 500,
      err: {
        message: expect.stringContaining('"pets" does not exist'),
        stack: expect.stringContaining('\n    at '),
      },
    });
  });
});

describe('a key', () => {
  it('never gets into a line, wherever it was put by mistake', async () => {
    const { key } = service;
    const requests: (() => Promise<unknown>)[] = [
      () => service.fetch('/v1/pets', { key }),
      () => service.fetch(`/v1/pets?key=${key}`, { key }),
      () => service.fetch(`/v1/pets/${key}`, { key }),
      () => service.fetch(`/v1/${key}`),
      () => service.fetch('/v1/pets', { key, headers: { 'x-request-id': key } }),
      () => service.fetch('/v1/pets', { key, headers: { 'user-agent': key, traceparent: key } }),
      () => service.fetch('/v1/pets', { headers: { authorization: key } }),
      () => sendRaw(service.port, `GET /%zz${key} HTTP/1.1\r\nHost: a\r\n\r\n`),
      () => sendRaw(service.port, `${key} HTTP/1.1\r\n\r\n`),
    ];
    for (const one of requests) await one();
    expect(lines).toHaveLength(requests.length);
    expect(lines.filter((one) => one.includes(key))).toEqual([]);
    const masked = lines
      .map((one) => JSON.parse(one) as Line)
      .filter(({ path }) => String(path).includes('psk_***'));
    expect(masked.map(({ status }) => status)).toEqual([404, 401, 401]);
  });
});

function preflight(): RequestInit {
  return {
    method: 'OPTIONS',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'GET' },
  };
}
