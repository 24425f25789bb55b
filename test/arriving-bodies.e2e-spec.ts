import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { useReplicas, useService } from './support/use-service.js';
import { Connection, only } from './support/wire.js';

const MIB = 1024 * 1024;
const nowMs = Date.now();
const service = useService({
  // It stands still, so that a minute that is used up stays so: an admitted request would wait for its body.
  clock: { nowMs: () => nowMs },
  environment: { TRUST_PROXY: 'loopback', BODY_BYTES_MAX: String(16 * MIB) },
});

/** With the default of BODY_BYTES_MAX. */
const small = useReplicas(service, 1, { environment: { TRUST_PROXY: 'loopback' } });

afterEach(() => {
  jest.restoreAllMocks();
});

const LENGTH = 60_000;
const BODY = `{"name":"${'x'.repeat(LENGTH - 11)}"}`;

interface Head {
  readonly target?: string;
  readonly key?: string;
  readonly length?: number | 'chunked';
  readonly address?: string;
}

const head = ({ target = 'POST /v1/pets', key, length = LENGTH, address = '192.0.2.1' }: Head): string =>
  [
    `${target} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: ${address}`,
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    'Content-Type: application/json',
    length === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`,
    '\r\n',
  ].join('\r\n');

const responseTo = async (connection: Connection): Promise<string> => {
  const { status, headers, body } = await connection.response();
  const { code } = JSON.parse(body) as { code: string };
  return `${status} ${code}, ${headers.get('connection')?.join() ?? ''}`;
};

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

  it('keeps the connection open if it has arrived, and is not parsed', async () => {
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

/** Of a body that is one string, which takes a tenth of the time of an object with as many spaces. */
const beginningOf = (length: number): string => `"${'x'.repeat(length - 2)}`;
const LAST = '"';

/** Of a body in chunks. */
const chunkOf = (length: number): string => `${length.toString(16)}\r\n{${' '.repeat(length - 1)}\r\n`;

describe('bodies that have not arrived whole', () => {
  const open: Connection[] = [];
  afterEach(() => {
    for (const connection of open.splice(0)) connection.close();
  });

  /** Sends one body of each address, all but its last byte, and resolves to the responses, with that byte from then on. */
  async function sendAll(addresses: readonly string[], length: number, rejected: number): Promise<string[]> {
    const responses: string[] = [];
    const connections = await Promise.all(
      addresses.map(async (address) => {
        const connection = await Connection.open(service.port);
        open.push(connection);
        connection.send(head({ key: service.key, length, address }));
        connection.send(beginningOf(length));
        return connection;
      }),
    );
    const all = connections.map(async (connection) => responses.push(await responseTo(connection)));
    await eventually(() => expect(responses).toHaveLength(rejected));
    for (const connection of connections) connection.send(LAST);
    await Promise.all(all);
    return responses;
  }

  const REJECTED = '503 service_unavailable, close';
  const READ = '400 invalid_body, keep-alive';

  it('take up to 16 MiB per client address: one more gets 503 and closes, until they arrive', async () => {
    const [one, other] = ['192.0.2.1', '192.0.2.2'];
    for (let round = 0; round < 3; round += 1) {
      expect(await sendAll([one, one, other], 10 * MIB, 1)).toEqual([REJECTED, READ, READ]);
    }
  });

  it('stop counting at the response, even before the body ends', async () => {
    const { port = 0 } = small[0] ?? {};
    const request = { key: service.key, address: '203.0.113.1' };
    // More than an address may hold, if each one were counted for good.
    for (let n = 0; n < 300; n += 1) {
      await Connection.with(port, async (connection) => {
        connection.send(head({ ...request, length: 'chunked' }) + chunkOf(70_000));
        expect(await responseTo(connection)).toBe('413 body_too_large, close');
      });
    }
    await Connection.with(port, async (connection) => {
      connection.send(head({ ...request, length: 30_000 }));
      connection.send(beginningOf(30_000) + LAST);
      expect(await responseTo(connection)).toBe(READ);
    });
  });

  it('take 64 MiB in sum', async () => {
    const addresses = Array.from({ length: 6 }, (_, n) => `198.51.100.${n}`);
    for (let round = 0; round < 2; round += 1) {
      expect(await sendAll(addresses, 13 * MIB, 2)).toEqual([REJECTED, REJECTED, READ, READ, READ, READ]);
    }
  });
});

const inChunksOf = (bytes: number, length: number): string => {
  const body = `{"name":"Rex","categoryId":1,"status":"available"${' '.repeat(length - 50)}}`;
  const chunks = body.match(new RegExp(`.{1,${bytes}}`, 'g')) ?? [];
  return `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n`;
};
const sent = async (text: string): Promise<string> => {
  const { port = 0 } = small[0] ?? {};
  return await Connection.with(port, async (connection) => {
    connection.send(head({ key: service.key, length: 'chunked' }) + text);
    const { status, body } = await connection.response();
    return `${status} ${(JSON.parse(body) as { code?: string }).code ?? ''}`;
  });
};

describe('a body in chunks', () => {
  it('may have 8,192 of them, twice as many as promised, because each costs as much time as a kilobyte', async () => {
    expect(await sent(`${inChunksOf(1, 8192)}\r\n`)).toBe('201 ');
    expect(await sent(`${inChunksOf(16, 65_536)}\r\n`)).toBe('201 ');
    expect(await sent(`${inChunksOf(1, 8193)}\r\n`)).toBe('413 body_too_large');
    expect(await sent(`${inChunksOf(1, 65_536)}\r\n`)).toBe('413 body_too_large');
  });

  it('may have trailers, and too long ones are 431', async () => {
    expect(await sent(`${inChunksOf(1024, 2048)}X-Digest: x\r\n\r\n`)).toBe('201 ');
    expect(await sent(`${inChunksOf(1024, 2048)}X-Digest: ${'x'.repeat(17_000)}\r\n\r\n`)).toBe(
      '431 headers_too_large',
    );
  });
});
