import { METHODS } from 'node:http';
import fc from 'fast-check';
import type { Request } from './fuzz-service.js';
import { legalRequest } from './legal-requests.js';

/** The characters of a header value, as Latin-1. */
const headerText = fc
  .array(
    fc.oneof(
      { arbitrary: fc.integer({ min: 0x20, max: 0x7e }), weight: 100 },
      { arbitrary: fc.integer({ min: 0x80, max: 0xff }), weight: 10 },
      { arbitrary: fc.nat(0x1f), weight: 1 },
    ),
    {
      maxLength: 40,
    },
  )
  .map((codes) => String.fromCharCode(...codes).replaceAll(/[\r\n]/g, ' '));

const HEADER_VALUES: Readonly<Record<string, readonly string[]>> = {
  Accept: ['', '*/*', 'text/html', 'application/xml;q=1'],
  'Accept-Encoding': ['gzip', 'br;q=1.0, *;q=0', 'identity;q=0'],
  'Access-Control-Request-Method': ['GET', 'BREW', ''],
  Authorization: ['', 'Bearer', 'Basic YTpi', 'Bearer psk_', 'bearer  x'],
  Connection: ['close', 'keep-alive', 'Upgrade', 'x'],
  'Content-Encoding': ['identity', 'gzip', ''],
  // Only what no parser can wait for the end of.
  'Content-Length': ['-1', 'abc', '5, 5', '1e1', '0x5', '18446744073709551616'],
  'Content-Type': [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'json',
    '/',
    ';',
  ],
  Cookie: ['a=b', '__proto__=1'],
  Expect: ['100-continue', '200-ok'],
  Host: ['', 'a b', 'evil.example', '[::1]:80', 'x'.repeat(300)],
  'Idempotency-Key': ['k', '"k"', '""', 'x'.repeat(255)],
  'If-Match': ['*', '"x"'],
  'If-None-Match': ['*', 'W/"x"', '"', '"a", "b"', ','],
  'If-Modified-Since': ['yesterday', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  Origin: ['null', 'https://shop.example', '*'],
  Range: ['bytes=0-1', 'x'],
  TE: ['trailers', 'gzip'],
  Upgrade: ['websocket', 'h2c'],
  'X-Forwarded-For': ['1.2.3.4', '::', 'x, y', '999.1.1.1'],
  'X-HTTP-Method-Override': ['DELETE'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'x'],
};

const header: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc
    .constantFrom(...Object.keys(HEADER_VALUES))
    .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...(HEADER_VALUES[name] ?? [''])))),
  fc.tuple(
    fc.constantFrom(...Object.keys(HEADER_VALUES).filter((name) => name !== 'Content-Length')),
    headerText,
  ),
  fc.tuple(
    fc
      .stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/)
      .filter((name) => !/^(?:content-length|transfer-encoding)$/i.test(name)),
    headerText,
  ),
);

const target = fc.oneof(
  fc.stringMatching(/^\/[!-~]{0,60}$/),
  fc
    .tuple(
      fc.constantFrom('/v1/pets', '/v1/store/orders', '/v1/usage', '/v1', '/docs', '/openapi.json'),
      fc.stringMatching(/^[!-~]{0,30}$/),
    )
    .map((parts) => parts.join('')),
  fc.stringMatching(/^\/v1\/(?:pets|store\/orders)\/(?:%[0-9a-fg]{2}|\.\.?|\/|[0-9]){1,6}$/),
  fc.constantFrom(
    '*',
    'http://evil.example/v1/pets',
    '//v1/pets',
    '/v1/pets?limit',
    '/v1/pets?limit[]=1',
    '/v1/pets?__proto__[x]=1',
    '/v1/pets#x',
    '?',
    '/%',
    '/v1/pets?%',
    '/v1/pets?cursor=%ff',
  ),
);

const method = fc.oneof(
  { arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH'), weight: 3 },
  fc.constantFrom(...METHODS),
  fc.stringMatching(/^[A-Za-z]{1,10}$/),
);

const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  fc.integer({ min: 60_000, max: 80_000 }).map((length) => Buffer.alloc(length, 0x20)),
  fc.constantFrom(1_000, 30_000).map((depth) => Buffer.from('['.repeat(depth))),
  fc
    .constantFrom(
      '{"__proto__":{"name":"x"}}',
      '{"name":"a","name":"b","categoryId":1}',
      '\ufeff{}',
      '{"name":"R","categoryId":1e999999999}',
    )
    .map((text) => Buffer.from(text)),
);

/** Anything at all that comes in one piece: of a legal request, some parts are exchanged for others, or all are. */
export const wildRequest: fc.Arbitrary<Request> = fc
  .tuple(
    legalRequest,
    fc.record({ method, target, body, isKeyless: fc.boolean() }, { requiredKeys: [] }),
    fc.array(header, { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([legal, parts, headers, isChunked]) => {
    const request = mixed(legal, parts, headers);
    const clashes = headers.some(([name]) => name.toLowerCase() === 'content-length');
    return isChunked && request.body !== undefined && !clashes ? chunked(request, request.body) : request;
  });

const mixed = (legal: Request, parts: Partial<Request>, headers: Request['headers']): Request => ({
  ...legal,
  ...parts,
  headers: [...legal.headers, ...headers],
});

function chunked(request: Request, content: Buffer): Request {
  const chunk = Buffer.concat([
    Buffer.from(`${content.length.toString(16)}\r\n`),
    content,
    Buffer.from('\r\n'),
  ]);
  return {
    ...request,
    headers: [...request.headers, ['Transfer-Encoding', 'chunked']],
    body: Buffer.concat([content.length === 0 ? Buffer.alloc(0) : chunk, Buffer.from('0\r\n\r\n')]),
  };
}
