import { bearer, CHUNKED, get, JSON_TYPE, PET, post, rawRequest, request } from '../request-bytes.js';
import type { Keys } from '../service-states.js';
import { PROBLEM, rows, error, BAD_TYPE, MALFORMED, HALF_BODY } from './row.js';

/** More than Node.js reads at a time: the parser rejects it again and again. */
const FLOOD = 'nonsense'.repeat(50_000);

/** Bytes that are no request have no key. */
const NOT_HTTP = { ...MALFORMED, limit: 'address' } as const;
const HOSTS = ['', 'two words', 'name:port', 'a/b', 'user@host', '[::1', '::1', 'a"b', '%zz'];

const withLengths = (good: string, ...lengths: readonly string[]): string =>
  request('POST /v1/pets', [bearer(good), JSON_TYPE, ...lengths], PET);

/** A program in front might take this for a request of its own. Its response would be 404. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LENGTH = `Content-Length: ${5 + SMUGGLED.length}`;

/** A request whose end two programs may find at two places. Nothing may follow its response. */
const hiding = (...headers: readonly string[]) => ({
  bytes: ({ good }: Keys) =>
    request('POST /v1/pets', [bearer(good), JSON_TYPE, ...headers], `0\r\n\r\n${SMUGGLED}`),
  connection: 'close' as const,
});

/** Bytes that are not HTTP, or almost. */
export const BYTES = [
  ...rows(NOT_HTTP, {
    'chunks and a length that hide a request': hiding(CHUNKED, LENGTH),
    'two lengths that hide a request': hiding('Content-Length: 5', LENGTH),
    'a length with a sign': hiding(`Content-Length: +${5 + SMUGGLED.length}`),
    'a length in hexadecimal': hiding('Content-Length: 0x10'),
    'chunks in another spelling': { ...hiding('Transfer-Encoding: xchunked'), ...BAD_TYPE },
    'chunks twice': hiding(CHUNKED, CHUNKED, LENGTH),
    'chunks and nothing': hiding('Transfer-Encoding: chunked, identity'),
    'a coding behind chunks': hiding('Transfer-Encoding: chunked, gzip'),
    'chunks in the next line': hiding('Transfer-Encoding:', ' chunked', LENGTH),
    'a vertical tab in the coding': hiding('Transfer-Encoding: \u000bchunked', LENGTH),
    'a line without a carriage return': hiding('X-Colour: red\nTransfer-Encoding: chunked', LENGTH),
  }),
  ...rows(
    { ...MALFORMED, isProblem: true },
    {
      'an undecodable path, problem details': ({ good }) =>
        request('GET /v1/pets/%ff', [bearer(good), `Accept: ${PROBLEM}`]),
    },
  ),
  ...rows(NOT_HTTP, {
    nonsense: () => 'nonsense\r\n\r\n',
    'random bytes': () => Buffer.from('00ff80c30d0a0d0a', 'hex'),
    'the first bytes of TLS': () => Buffer.from('16030100c8010000c40303a1b2c3d4e5f60718', 'hex'),
    'the preface of HTTP/2': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'an unknown version': () => rawRequest('GET /v1/pets HTTP/1.2'),
    'an unknown method': ({ good }) => request('FOO /v1/pets', [bearer(good)]),
    'a method in small letters': () => request('get /v1/pets'),
    'a target without a slash': () => request('GET v1/pets'),
    'a space in the target': () => request('GET /v1/pets?status=on sale'),
    'a zero byte in a header': ({ good }) => request('GET /v1/pets', [bearer(good), 'X-Colour: r\0d']),
    'a line that is no header, behind Accept': () =>
      request('GET /v1/pets', [`Accept: ${PROBLEM}`, 'no header']),
    'a space before the colon': ({ good }) => request('GET /v1/pets', [bearer(good), 'X-Colour : red']),
    'a header on two lines': ({ good }) =>
      request('GET /v1/pets', [bearer(good), 'X-Colour: red', ' and blue']),
    'lines without carriage returns': ({ good }) => get('/v1/pets', good).replaceAll('\r\n', '\n'),
    'a negative length': ({ good }) => withLengths(good, 'Content-Length: -1'),
    'a length beyond 64 bits': ({ good }) => withLengths(good, 'Content-Length: 99999999999999999999'),
    'a flood of nonsense': () => FLOOD,
    'a flood of nonsense behind a request that is still running': { bytes: () => FLOOD, after: 1 },
    'nonsense behind a request that is still running': { bytes: () => 'nonsense\r\n\r\n', after: 1 },
    'nonsense behind two of them': { bytes: () => 'nonsense\r\n\r\n', after: 2 },
    'nonsense without a database': { bytes: () => 'nonsense\r\n\r\n', state: 'no database' },
  }),
  ...rows(MALFORMED, {
    'an asterisk before a path': ({ good }) => request('GET *v1/pets', [bearer(good)]),
    'a URL that is not of HTTP': ({ good }) => request('GET ftp://petstore.example', [bearer(good)]),
    'an undecodable path': ({ good }) => get('/v1/pets/%ZZ', good),
    'an undecodable path, with a body': ({ good }) => post(good, PET).replace('/v1/pets', '/v1/%C3%28'),
    'an undecodable path, with half of a body': {
      bytes: ({ good }) =>
        request('POST /v1/%', [bearer(good), JSON_TYPE, 'Content-Length: 1000'], HALF_BODY),
      connection: 'close',
    },
    'a transfer coding of a body that is not read': ({ good }) =>
      request('GET /v1/pets', [bearer(good), 'Transfer-Encoding: gzip, chunked'], '0\r\n\r\n'),
    'such a coding, and an unknown expectation': ({ good }) =>
      request(
        'GET /v1/pets',
        [bearer(good), 'Transfer-Encoding: gzip, chunked', 'Expect: 200-ok'],
        '0\r\n\r\n',
      ),
    'no Host': ({ good }) => rawRequest('GET /v1/pets HTTP/1.1', [bearer(good)]),
    'two Hosts': ({ good }) => request('GET /v1/pets', ['Host: other.example', bearer(good)]),
    'HTTP/2.0 in the form of HTTP/1.1': ({ good }) =>
      rawRequest('GET /v1/pets HTTP/2.0', ['Host: x', bearer(good)]),
    ...Object.fromEntries(
      HOSTS.map((host) => [
        `the Host ${JSON.stringify(host)}`,
        ({ good }: Keys) => rawRequest('GET /v1/pets HTTP/1.1', [`Host: ${host}`, bearer(good)]),
      ]),
    ),
  }),
  ...rows(error(431, 'headers_too_large', 'address'), {
    'headers of 20,000 bytes': ({ good }) =>
      request('GET /v1/pets', [bearer(good), `Cookie: ${'x'.repeat(20_000)}`]),
    'too many headers': ({ good }) =>
      request('GET /v1/pets', [bearer(good), ...Array<string>(900).fill(`X-Colour: ${'red'.repeat(4)}`)]),
  }),
];
