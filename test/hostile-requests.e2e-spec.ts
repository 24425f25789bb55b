import { describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { useService } from './support/use-service.js';
import { sendRawUpTo, type WireResponse } from './support/wire.js';

const service = useService();

const LIMIT = 65_536;

const post = (body: string | Buffer, headers: readonly string[] = []): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        'POST /v1/pets HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${service.key}`,
        'Content-Type: application/json',
        ...headers,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(body),
  ]);

/** It follows in the same packet: its response shows where the service thinks that it begins. */
const regular = (): string =>
  `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;

/** The responses to a hostile request and to a regular one behind it. Fewer than two: the connection was closed. */
const sendBefore = (bytes: Buffer): Promise<readonly WireResponse[]> =>
  sendRawUpTo(service.port, Buffer.concat([bytes, Buffer.from(regular())]), 2);

const nested = (depth: number): string => `{"name":"Rex","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

const filled = (start: string, unit: string, end: string): string =>
  start + unit.repeat(Math.floor((LIMIT - start.length - end.length) / unit.length)) + end;

const pet = (members: string): string => `{"name":"Rex","categoryId":1,${members}}`;

/** Bodies that are not JSON, or not JSON that the service takes. */
const MALFORMED: Readonly<Record<string, string | Buffer>> = {
  '30,000 arrays within each other': nested(30_000),
  'arrays without an end': filled('', '[', ''),
  'objects without an end': filled('', '{"a":', ''),
  'bytes that are not UTF-8': Buffer.from('7b226e616d65223a22ff227d', 'hex'),
  'an overlong UTF-8 form': Buffer.from('7b226e616d65223a22c0af227d', 'hex'),
  'a surrogate in UTF-8': Buffer.from('7b226e616d65223a22eda080227d', 'hex'),
  'a member twice': pet('"name":"Rex"'),
  'a member thousands of times': filled('{"name":"Rex","categoryId":"x"', ',"a":1', '}'),
  'an escaped __proto__': pet('"__pro\\u0074o__":{"admin":true}'),
  '__proto__ deep inside': pet('"a":[{"__proto__":{}}]'),
  'constructor.prototype': pet('"constructor":{"prototype":{"admin":true}}'),
  'a byte order mark': `\uFEFF${pet('"a":1')}`,
  'only white space': filled('', ' ', ''),
};

/** JSON with values that a pet cannot have. */
const INVALID: Readonly<Record<string, string>> = {
  '500 levels within each other': nested(499),
  'a number of 60,000 digits': `{"name":"Rex","categoryId":${'9'.repeat(60_000)}}`,
  'a number with 60,000 zeros and a last digit': `{"name":"Rex","categoryId":1${'0'.repeat(60_000)}1}`,
  'an exponent that would fill the memory': '{"name":"Rex","categoryId":1e999999999}',
  'a negative exponent of that kind': '{"name":"Rex","categoryId":1e-999999999}',
  'a name that is an object with a constructor': '{"name":{"constructor":5},"categoryId":1}',
  'a name that is an array of them': '{"name":[{"constructor":{"constructor":5}}],"categoryId":1}',
  'thousands of members': `{"name":"Rex"${Array.from({ length: 7000 }, (_, n) => `,"${n}":1`).join('')}}`,
};

const BODIES = [
  ...Object.entries(MALFORMED).map(([what, body]) => [what, body, 'malformed_json'] as const),
  ...Object.entries(INVALID).map(([what, body]) => [what, body, 'invalid_body'] as const),
];

describe('a hostile body', () => {
  it.each(BODIES)('%s is rejected, and the connection goes on or ends', async (_what, body, code) => {
    const [rejected, next] = await sendBefore(post(body));
    expect(rejected).toMatchObject({ status: 400, body: expect.stringContaining(`"code":"${code}"`) });
    // Its own response, or none because the connection was closed.
    expect(next?.status ?? 200).toBe(200);
  });

  it('that is compressed is rejected unread, whatever its size would be', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const [rejected, ...others] = await sendBefore(post(bomb, ['Content-Encoding: gzip']));
    expect(rejected).toMatchObject({ status: 415, body: expect.stringContaining('unsupported_media_type') });
    for (const { status } of others) expect(status).toBe(200);
  });

  it('leaves nothing behind: neither a pet nor a member of every object', async () => {
    const { rows } = await service.pool.query('select from pets');
    expect(rows).toEqual([]);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });
});

/** A program in front might take this for a request of its own. The response would be 404. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';

const smuggling = (...headers: readonly string[]): Buffer =>
  Buffer.from(
    [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${service.key}`,
      'Content-Type: application/json',
      ...headers,
      '',
      `0\r\n\r\n${SMUGGLED}`,
    ].join('\r\n'),
  );

const LENGTH = `Content-Length: ${5 + SMUGGLED.length}`;

describe('a request whose end two programs may find at two places', () => {
  it.each([
    ['chunks and a length', ['Transfer-Encoding: chunked', LENGTH]],
    ['two lengths', ['Content-Length: 5', LENGTH]],
    ['a length with a sign', [`Content-Length: +${5 + SMUGGLED.length}`]],
    ['a length in hexadecimal', ['Content-Length: 0x10']],
    ['chunks in another spelling', ['Transfer-Encoding: xchunked']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', LENGTH]],
    ['chunks and nothing', ['Transfer-Encoding: chunked, identity']],
    ['a coding behind chunks', ['Transfer-Encoding: chunked, gzip']],
    ['a header that goes on in the next line', ['Transfer-Encoding:', ' chunked', LENGTH]],
    ['a vertical tab in the coding', ['Transfer-Encoding: \u000bchunked', LENGTH]],
    ['a line that ends without a carriage return', [`X-Colour: red\nTransfer-Encoding: chunked`, LENGTH]],
  ])('%s: is rejected, and what is hidden in it is never a request', async (_shape, headers) => {
    const responses = await sendRawUpTo(service.port, smuggling(...headers), 3);
    expect(responses).toHaveLength(1);
    expect(responses[0]?.status).toBeGreaterThanOrEqual(400);
    expect(responses[0]?.status).toBeLessThan(500);
    expect(responses[0]?.headers.get('connection')).toEqual(['close']);
  });
});
