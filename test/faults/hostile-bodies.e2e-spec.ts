import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { sendRawUpTo, type WireResponse } from '../support/wire.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const LIMIT = 65_536;

const post = (body: string | Buffer, headers: readonly string[] = []): Buffer =>
  Buffer.concat([
    Buffer.from(
      [
        'POST /v1/pets HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        ...headers,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '\r\n',
      ].join('\r\n'),
    ),
    Buffer.from(body),
  ]);

/** What follows on the same connection, in the same packet: by its answer one sees where the service thinks it begins. */
const honest = (): string =>
  `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;

/** The answers to a hostile request and to an honest one behind it. Fewer than two: the connection was closed. */
const sendBefore = (bytes: Buffer): Promise<readonly WireResponse[]> =>
  sendRawUpTo(service.port, Buffer.concat([bytes, Buffer.from(honest())]), 2);

const nested = (depth: number): string => `{"name":"Rex","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

const filled = (start: string, unit: string, end: string): string =>
  start + unit.repeat(Math.floor((LIMIT - start.length - end.length) / unit.length)) + end;

const BODIES: readonly (readonly [string, string | Buffer, number, string])[] = [
  ['500 levels within each other', nested(499), 400, 'invalid_body'],
  ['30,000 arrays within each other', nested(30_000), 400, 'malformed_json'],
  ['arrays without an end', filled('', '[', ''), 400, 'malformed_json'],
  ['objects without an end', filled('', '{"a":', ''), 400, 'malformed_json'],
  ['a number of 60,000 digits', `{"name":"Rex","categoryId":${'9'.repeat(60_000)}}`, 400, 'invalid_body'],
  [
    'a number with 60,000 zeros and a last digit',
    `{"name":"Rex","categoryId":1${'0'.repeat(60_000)}1}`,
    400,
    'invalid_body',
  ],
  ['an exponent that would fill the memory', '{"name":"Rex","categoryId":1e999999999}', 400, 'invalid_body'],
  ['a negative exponent of that kind', '{"name":"Rex","categoryId":1e-999999999}', 400, 'invalid_body'],
  ['a number past int64', '{"name":"Rex","categoryId":9223372036854775808}', 400, 'invalid_body'],
  ['bytes that are no UTF-8', Buffer.from('7b226e616d65223a22ff227d', 'hex'), 400, 'malformed_json'],
  ['an overlong UTF-8 form', Buffer.from('7b226e616d65223a22c0af227d', 'hex'), 400, 'malformed_json'],
  ['a surrogate in UTF-8', Buffer.from('7b226e616d65223a22eda080227d', 'hex'), 400, 'malformed_json'],
  ['a lone surrogate, escaped', '{"name":"\\ud800","categoryId":1}', 400, 'invalid_body'],
  ['U+0000, escaped', '{"name":"a\\u0000b","categoryId":1}', 400, 'invalid_body'],
  ['a member twice, with two values', '{"name":"Rex","name":"Max","categoryId":1}', 400, 'malformed_json'],
  ['__proto__', '{"name":"Rex","categoryId":1,"__proto__":{"admin":true}}', 400, 'malformed_json'],
  [
    '__proto__, escaped',
    '{"name":"Rex","categoryId":1,"__pro\\u0074o__":{"admin":true}}',
    400,
    'malformed_json',
  ],
  ['__proto__ in the depth', '{"name":"Rex","categoryId":1,"a":[{"__proto__":{}}]}', 400, 'malformed_json'],
  [
    'constructor.prototype',
    '{"name":"Rex","categoryId":1,"constructor":{"prototype":{"admin":true}}}',
    400,
    'malformed_json',
  ],
  ['thousands of members', filled('{"name":"Rex","categoryId":"x"', ',"a":1', '}'), 400, 'invalid_body'],
  ['a mark of byte order', '\uFEFF{"name":"Rex","categoryId":1}', 400, 'malformed_json'],
  ['nothing but white space', filled('', ' ', ''), 400, 'malformed_json'],
];

describe('a hostile body', () => {
  it.each(BODIES)(
    '%s is refused as documented, and the connection goes on or ends',
    async (_what, body, status, code) => {
      const [refused, next] = await sendBefore(post(body));
      expect(refused).toMatchObject({ status, body: expect.stringContaining(`"code":"${code}"`) });
      // Answered as itself, or not at all because the connection was closed.
      expect(next?.status ?? 200).toBe(200);
    },
  );

  it('that is compressed is refused unread, however much it would become', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '));
    const [refused, ...others] = await sendBefore(post(bomb, ['Content-Encoding: gzip']));
    expect(refused).toMatchObject({ status: 415, body: expect.stringContaining('unsupported_media_type') });
    for (const { status } of others) expect(status).toBe(200);
  });

  it('has left nothing behind: neither an animal nor a member of every object', async () => {
    const { rows } = await service.pool.query('select from pets');
    expect(rows).toEqual([]);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });
});

/** What another program in front might read as a request of its own. Its answer would be 404. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';

const smuggling = (...headers: readonly string[]): Buffer =>
  Buffer.from(
    [
      'POST /v1/pets HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      ...headers,
      '',
      `0\r\n\r\n${SMUGGLED}`,
    ].join('\r\n'),
  );

const LENGTH = `Content-Length: ${5 + SMUGGLED.length}`;

describe('a request whose end two programs may see in two places', () => {
  it.each([
    ['a length and chunks', [LENGTH, 'Transfer-Encoding: chunked']],
    ['chunks and a length', ['Transfer-Encoding: chunked', LENGTH]],
    ['two lengths', ['Content-Length: 5', LENGTH]],
    ['a length with a sign', [`Content-Length: +${5 + SMUGGLED.length}`]],
    ['a length in hexadecimal', ['Content-Length: 0x10']],
    ['chunks in another spelling', ['Transfer-Encoding: xchunked']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked', LENGTH]],
    ['chunks and nothing', ['Transfer-Encoding: chunked, identity']],
    ['a coding behind chunks', ['Transfer-Encoding: chunked, gzip']],
    ['a space before the colon', ['Transfer-Encoding : chunked', LENGTH]],
    ['a header that goes on in the next line', ['Transfer-Encoding:', ' chunked', LENGTH]],
    ['a vertical tab in the coding', ['Transfer-Encoding: \u000bchunked', LENGTH]],
    ['a line that ends without a carriage return', [`X-Colour: red\nTransfer-Encoding: chunked`, LENGTH]],
  ])('%s: is refused, and what is hidden in it is never a request', async (_shape, headers) => {
    const answers = await sendRawUpTo(service.port, smuggling(...headers), 3);
    expect(answers).toHaveLength(1);
    expect(answers[0]?.status).toBeGreaterThanOrEqual(400);
    expect(answers[0]?.status).toBeLessThan(500);
    expect(answers[0]?.headers.get('connection')).toEqual(['close']);
  });
});
