import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { only, Connection } from './support/wire.js';
import { useService } from './support/use-service.js';

const service = useService({ environment: { TRUST_PROXY: 'loopback' } });

afterEach(() => {
  jest.restoreAllMocks();
});

const LENGTH = 60_000;
const BODY = `{"name":"${'x'.repeat(LENGTH - 11)}"}`;

interface Head {
  readonly target?: string;
  readonly key?: string;
  readonly length?: number;
}

const head = ({ target = 'POST /v1/pets', key, length = LENGTH }: Head): string =>
  [
    `${target} HTTP/1.1`,
    'Host: localhost',
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');

/** A key that has used up its minute. */
async function exhaustedKey(): Promise<string> {
  const { key } = await service.issueKey({ perMinute: 1 });
  await service.fetch('/v1/pets?limit=1', { key });
  return key;
}

describe('the body of a request that is rejected, or that has no route', () => {
  it.each([
    ['401 without a key', 401, () => Promise.resolve({})],
    ['401 with a malformed key', 401, () => Promise.resolve({ key: 'psk_x' })],
    ['429 past the limit of the key', 429, async () => ({ key: await exhaustedKey() })],
    ['404 without a route', 404, () => Promise.resolve({ key: service.key, target: 'POST /v1/nowhere' })],
    ['405', 405, () => Promise.resolve({ key: service.key, target: 'PUT /v1/pets' })],
  ] as const)(
    'is not waited for, and what arrives of it does no harm: %s',
    async (_what, status, request) => {
      const parse = jest.spyOn(JSON, 'parse');
      await Connection.with(service.port, async (connection) => {
        connection.send(head(await request()) + BODY.slice(0, 30_000));
        const response = await connection.response();
        expect(response.status).toBe(status);
        expect(only(response, 'connection')).toBe('close');
        connection.send(BODY.slice(30_000));
        expect(await connection.closed()).toBe('');
      });
      expect(parse.mock.calls.filter(([text]) => text.startsWith('{"name"'))).toEqual([]);
    },
  );

  it('leaves the connection open where it has arrived, and is not parsed', async () => {
    const key = await exhaustedKey();
    const parse = jest.spyOn(JSON, 'parse');
    await Connection.with(service.port, async (connection) => {
      for (const target of [
        'POST /v1/pets',
        'PATCH /v1/pets/1',
        'POST /v1/store/orders',
        'POST /v1/nowhere',
      ]) {
        connection.send(`${head({ target, key, length: 12 })}{"name":"x"}`);
        const response = await connection.response();
        expect([target, response.status, response.headers.get('connection')]).toEqual([
          target,
          429,
          ['keep-alive'],
        ]);
      }
    });
    expect(parse.mock.calls.filter(([text]) => text.startsWith('{"name"'))).toEqual([]);
  });

  it('is read where the request is admitted', async () => {
    await Connection.with(service.port, async (connection) => {
      connection.send(`${head({ key: service.key })}${BODY.slice(0, 30_000)}`);
      connection.send(BODY.slice(30_000));
      expect(await connection.response()).toMatchObject({
        status: 400,
        body: expect.stringContaining('invalid_body'),
      });
    });
  });
});
