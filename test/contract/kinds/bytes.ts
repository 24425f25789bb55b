import type { Kind } from '../kind.js';
import { bearer, get, JSON_TYPE, PET, rawRequest, request } from '../request-bytes.js';

/** What every row here is answered: nobody can tell whose key it was. */
const MALFORMED = { status: 400, code: 'malformed_request', limit: 'address' } as const;

/** More than Node reads at a time: the parser refuses it again and again. */
const FLOOD = 'nonsense'.repeat(50_000);

const withLengths = (good: string, ...lengths: readonly string[]): string =>
  request('POST /v1/pets', [bearer(good), JSON_TYPE, ...lengths], PET);

const wrongHost = (host: string): Kind => ({
  kind: `the Host ${JSON.stringify(host)}`,
  bytes: ({ good }) => rawRequest('GET /v1/pets HTTP/1.1', [`Host: ${host}`, bearer(good)]),
  ...MALFORMED,
  limit: 'key',
});

const WRONG_HOSTS = ['', 'two words', 'name:port', 'a/b', 'user@host', '[::1', '::1', 'a"b', '%zz'].map(
  wrongHost,
);

/** What is not HTTP, or almost: the parser's errors. */
export const BYTES: readonly Kind[] = [
  { kind: 'nonsense', bytes: () => 'nonsense\r\n\r\n', ...MALFORMED },
  { kind: 'random bytes', bytes: () => Buffer.from('00ff80c30d0a0d0a', 'hex'), ...MALFORMED },
  {
    kind: 'the first bytes of TLS',
    bytes: () => Buffer.from('16030100c8010000c40303a1b2c3d4e5f60718', 'hex'),
    ...MALFORMED,
  },
  { kind: 'the preface of HTTP/2', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...MALFORMED },
  { kind: 'an unknown version', bytes: () => rawRequest('GET /v1/pets HTTP/1.2'), ...MALFORMED },
  { kind: 'an unknown method', bytes: ({ good }) => request('FOO /v1/pets', [bearer(good)]), ...MALFORMED },
  { kind: 'a method in small letters', bytes: () => request('get /v1/pets'), ...MALFORMED },
  { kind: 'a target without a slash', bytes: () => request('GET v1/pets'), ...MALFORMED },
  { kind: 'a space in the target', bytes: () => request('GET /v1/pets?status=on sale'), ...MALFORMED },
  {
    kind: 'a zero byte in a header',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'X-Colour: r\0d']),
    ...MALFORMED,
  },
  {
    kind: 'a space before the colon',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'X-Colour : red']),
    ...MALFORMED,
  },
  {
    kind: 'a header on two lines',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'X-Colour: red', ' and blue']),
    ...MALFORMED,
  },
  {
    kind: 'lines that end without a carriage return',
    bytes: ({ good }) => get('/v1/pets', good).replaceAll('\r\n', '\n'),
    ...MALFORMED,
  },
  {
    kind: 'two lengths',
    bytes: ({ good }) => withLengths(good, 'Content-Length: 1', 'Content-Length: 2'),
    ...MALFORMED,
  },
  {
    kind: 'a length and chunks',
    bytes: ({ good }) => withLengths(good, 'Content-Length: 1', 'Transfer-Encoding: chunked'),
    ...MALFORMED,
  },
  { kind: 'a negative length', bytes: ({ good }) => withLengths(good, 'Content-Length: -1'), ...MALFORMED },
  {
    kind: 'a length beyond 64 bits',
    bytes: ({ good }) => withLengths(good, 'Content-Length: 99999999999999999999'),
    ...MALFORMED,
  },
  {
    kind: 'no Host',
    bytes: ({ good }) => rawRequest('GET /v1/pets HTTP/1.1', [bearer(good)]),
    ...MALFORMED,
    limit: 'key',
  },
  {
    kind: 'no Host and no key',
    bytes: () => rawRequest('GET /v1/pets HTTP/1.1'),
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
  {
    kind: 'two Hosts',
    bytes: ({ good }) => request('GET /v1/pets', ['Host: other.example', bearer(good)]),
    ...MALFORMED,
    limit: 'key',
  },
  {
    kind: 'an asterisk before a path',
    bytes: ({ good }) => request('GET *v1/pets', [bearer(good)]),
    status: 404,
    code: 'not_found',
    limit: 'key',
  },
  {
    kind: 'HTTP/0.9, which cannot carry a key',
    bytes: () => 'GET /v1/pets\r\n\r\n',
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
  {
    kind: 'HTTP/2.0 in the form of HTTP/1.1',
    bytes: ({ good }) => rawRequest('GET /v1/pets HTTP/2.0', ['Host: x', bearer(good)]),
    ...MALFORMED,
    limit: 'key',
  },
  ...WRONG_HOSTS,
  {
    kind: 'headers of 20,000 bytes',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), `Cookie: ${'x'.repeat(20_000)}`]),
    status: 431,
    code: 'headers_too_large',
    limit: 'address',
  },
  {
    kind: 'too many headers',
    bytes: ({ good }) =>
      request('GET /v1/pets', [bearer(good), ...Array<string>(900).fill(`X-Colour: ${'red'.repeat(4)}`)]),
    status: 431,
    code: 'headers_too_large',
    limit: 'address',
  },
  { kind: 'a flood of nonsense', bytes: () => FLOOD, ...MALFORMED },
  {
    kind: 'a flood of nonsense behind a request that is not answered yet',
    bytes: () => FLOOD,
    after: 1,
    ...MALFORMED,
  },
  {
    kind: 'nonsense behind a request that is not answered yet',
    bytes: () => 'nonsense\r\n\r\n',
    after: 1,
    ...MALFORMED,
  },
  { kind: 'nonsense behind two of them', bytes: () => 'nonsense\r\n\r\n', after: 2, ...MALFORMED },
];
