import { ERROR_CODES, type ErrorCode } from '../../../src/errors/error-codes.js';
import { type Operation, OPERATIONS } from '../document.js';
import {
  bytesOf,
  ERROR_REQUESTS,
  type ErrorRequest,
  REQUESTS,
  type RequestParts,
  unchanged,
  withHeaders,
} from './operation-requests.js';
import { bearer, CHUNKED, get, inChunks, JSON_TYPE, lengthOf, PET, post } from './request-bytes.js';
import { rawRequest, request } from './request-bytes.js';
import type { Keys, ServiceState } from './service-states.js';
import type { Limit } from './sound-response.js';

type Bytes = (keys: Keys) => string | Buffer;

/** A request, and the response that the contract promises. */
export interface Row {
  readonly name: string;
  readonly bytes: Bytes;
  readonly status: number;
  /** Absent for a success. */
  readonly code?: ErrorCode;
  /** The limit that the headers describe, and that is charged. */
  readonly limit: Limit;
  /** No limit is charged. */
  readonly isFree?: true;
  /** The exact value of `Allow`. */
  readonly allow?: string;
  readonly connection?: 'close' | 'keep-alive';
  /** So many good requests come before it in the same bytes, each with its response. */
  readonly after?: number;
  /** The body, sent when "100 Continue" has come. It must not come otherwise. */
  readonly bodyOnContinue?: string;
  readonly isHead?: true;
  /** The error comes as problem details. */
  readonly isProblem?: true;
  /** The state of the service; `ordinary` unless given. */
  readonly state?: ServiceState;
}

const PROBLEM = 'application/problem+json';

const HEAD_CODES = ['invalid_api_key', 'precondition_failed', 'api_key_suspended', 'internal_error'] as const;

type Further = Partial<Omit<Row, 'name'>>;

/** Rows with some members in common, by their names. */
const rows = (
  common: Omit<Row, 'name' | 'bytes'>,
  table: Readonly<Record<string, Bytes | (Further & Pick<Row, 'bytes'>)>>,
): Row[] =>
  Object.entries(table).map(([name, row]) =>
    Object.assign({ name }, common, typeof row === 'function' ? { bytes: row } : row),
  );

const error = (status: number, code: ErrorCode, limit: Limit = 'key') => ({ status, code, limit });
const OK = { status: 200, limit: 'key' } as const;
const NO_KEY = error(401, 'missing_api_key', 'address');
const BAD_KEY = error(401, 'invalid_api_key', 'address');
const SUSPENDED = { ...error(403, 'api_key_suspended'), isFree: true } as const;
const READ_ONLY = error(403, 'read_only_api_key');
const BANNED = { ...error(429, 'api_key_banned'), isFree: true } as const;
const NOT_FOUND = error(404, 'not_found');
const NOT_ALLOWED = error(405, 'method_not_allowed');
const BAD_TYPE = error(415, 'unsupported_media_type');
const TOO_LARGE = error(413, 'body_too_large');
const MALFORMED = error(400, 'malformed_request');
/** Bytes that are no request have no key. */
const NOT_HTTP = { ...MALFORMED, limit: 'address' } as const;
const DOCUMENT = { status: 200, limit: 'documents' } as const;

const send = (line: string, key: string, body: string, ...headers: readonly string[]): string =>
  request(line, [bearer(key), JSON_TYPE, ...headers, lengthOf(body)], body);
const PREFLIGHT = ['Origin: https://shop.example', 'Access-Control-Request-Method: POST'];
const CONNECT = 'CONNECT petstore.example:443';
const APPROVED = '{"status":"approved"}';
const BYTES_MAX = 65_536;
const LONG_BODY = PET.padEnd(BYTES_MAX + 1);
const HALF_BODY = JSON.stringify({ name: 'x'.repeat(1000), categoryId: 7 }).slice(0, 500);
/** More than Node.js reads at a time: the parser rejects it again and again. */
const FLOOD = 'nonsense'.repeat(50_000);

const asHead = (bytes: Bytes) => ({ bytes, isHead: true as const });

const SUCCESSES = [
  ...rows(OK, {
    'every parameter': ({ good }) =>
      get('/v1/pets?limit=5&status=sold&status=pending&categoryId=7&sort=-id&id=1&id=2', good),
    'HEAD of the list': asHead(({ good }) => request('HEAD /v1/pets', [bearer(good)])),
    'HEAD of a pet': asHead(({ good }) => request('HEAD /v1/pets/1', [bearer(good)])),
    'HEAD of the orders': asHead(({ good }) => request('HEAD /v1/store/orders', [bearer(good)])),
    'GET with a body, which is ignored': ({ good }) =>
      request('GET /v1/pets', [bearer(good), lengthOf('<>')], '<>'),
    'the scheme in another letter case': ({ good }) =>
      request('GET /v1/pets', [`Authorization: bEARER  ${good}`]),
    'a URL as the target': ({ good }) => get('http://petstore.example/v1/pets?limit=1', good),
    'HTTP/1.0 without Host': ({ good }) => rawRequest('GET /v1/pets HTTP/1.0', [bearer(good)]),
    'empty lines before the request': ({ good }) => `\r\n\r\n${get('/v1/pets', good)}`,
    'HTTP/1.0 with keep-alive': {
      bytes: ({ good }) => rawRequest('GET /v1/pets HTTP/1.0', [bearer(good), 'Connection: keep-alive']),
      connection: 'keep-alive',
    },
    'a key that may only read': ({ reading }) => get('/v1/pets', reading),
    'HEAD of a key that may only read': asHead(({ reading }) =>
      request('HEAD /v1/store/orders', [bearer(reading)]),
    ),
    'an offer to speak HTTP/2': ({ good }) =>
      request('GET /v1/pets', [
        bearer(good),
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABk',
      ]),
    '3,000 short headers before the key': ({ good }) =>
      request('GET /v1/pets', [...Array<string>(3000).fill('a:b'), bearer(good)]),
    'two requests at once': { bytes: ({ good }) => get('/v1/pets', good), after: 1 },
    'a good key, past the limit of the address': {
      bytes: ({ good }) => get('/v1/pets', good),
      state: 'limited',
    },
  }),
  ...rows(
    { status: 304, limit: 'key' },
    { 'GET of the current page': ({ good }) => request('GET /v1/pets', [bearer(good), 'If-None-Match: *']) },
  ),
  ...rows(
    { status: 201, limit: 'key' },
    {
      'POST with an Idempotency-Key': ({ good }) => post(good, PET, [JSON_TYPE, 'Idempotency-Key: once']),
      'POST in chunks': ({ good }) =>
        request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(PET, 10)),
      'the largest body': ({ good }) => post(good, PET.padEnd(BYTES_MAX)),
      'the largest body, in chunks': ({ good }) =>
        request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(PET.padEnd(BYTES_MAX), 10_000)),
      'POST that waits for "100 Continue"': {
        bytes: ({ good }) =>
          request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Expect: 100-continue', lengthOf(PET)]),
        bodyOnContinue: PET,
      },
      'POST with an offer to upgrade': {
        bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Connection: Upgrade', 'Upgrade: websocket']),
        connection: 'close',
      },
      'POST in chunks of HTTP/1.0': {
        bytes: ({ good }) =>
          rawRequest(
            'POST /v1/pets HTTP/1.0',
            [bearer(good), JSON_TYPE, 'Connection: keep-alive', CHUNKED],
            inChunks(PET, 99),
          ),
        connection: 'close',
      },
      'PUT of a category': ({ good }) => send('PUT /v1/categories/-5', good, '{"name":"Parrots"}'),
    },
  ),
  ...rows(
    { status: 204, limit: 'address', isFree: true },
    {
      'a preflight': () => request('OPTIONS /v1/pets', PREFLIGHT),
      'a preflight of an unknown path': () => request('OPTIONS /nowhere', PREFLIGHT),
      'a preflight, past the limit of the address': {
        bytes: () => request('OPTIONS /v1/pets', PREFLIGHT),
        state: 'limited',
      },
    },
  ),
  ...rows(
    { ...DOCUMENT, status: 308 },
    {
      'the root': ({ good }) => get('/', good),
      'the root, HEAD': asHead(() => request('HEAD /')),
      'a URL without a path': ({ good }) => get('http://petstore.example', good),
      'the docs page with a slash at the end': () => request('GET /docs/'),
    },
  ),
  ...rows(DOCUMENT, {
    'the OpenAPI document': () => request('GET /openapi.json'),
    'the OpenAPI document in YAML': () => request('GET /openapi.yaml'),
    'the docs page': () => request('GET /docs'),
    'the docs page, HEAD': asHead(() => request('HEAD /docs')),
    'a public document, with a revoked key': ({ revoked }) => get('/openapi.json', revoked),
    'a current public document': {
      bytes: () => request('GET /openapi.json', ['If-None-Match: *']),
      status: 304,
    },
    'a public document that has changed': {
      bytes: () => request('GET /openapi.json', ['If-Match: "another"']),
      ...{ status: 412, code: 'precondition_failed' },
    },
    'a public document, past the limit of the address': {
      bytes: () => request('GET /openapi.json'),
      state: 'limited',
    },
    'a public document without a database': {
      bytes: () => request('GET /openapi.json'),
      state: 'no database',
    },
  }),
];

const CREDENTIALS = [
  ...rows(NO_KEY, {
    'no key': () => request('GET /v1/pets'),
    'no key, HEAD': asHead(() => request('HEAD /v1/pets')),
    'no key, with a body': {
      bytes: () => request('POST /v1/pets', [JSON_TYPE, lengthOf(PET)], PET),
      connection: 'keep-alive',
    },
    'no key, and half of a body of another type': {
      bytes: () => request('POST /v1/pets', ['Content-Type: text/csv', 'Content-Length: 1000'], HALF_BODY),
      connection: 'close',
    },
    'no key, and the beginning of a body over the limit': {
      bytes: () => request('POST /v1/pets', [JSON_TYPE, 'Content-Length: 20000000'], '{'),
      connection: 'close',
    },
    'no key, and a chunk without a size': () => request('POST /v1/pets', [JSON_TYPE, CHUNKED], 'size\r\n'),
    'no key, and a body of another type behind "100 Continue"': {
      bytes: () =>
        request('POST /v1/pets', ['Content-Type: text/csv', 'Expect: 100-continue', 'Content-Length: 9']),
      ...{ bodyOnContinue: '', connection: 'close' },
    },
    'a scheme without a key': () => request('GET /v1/pets', ['Authorization: Bearer']),
    'the scheme Basic': () => request('GET /v1/pets', ['Authorization: Basic dXNlcjpwYXNz']),
    'no key, for an unknown path': () => request('GET /v1/nowhere'),
    'no key, for an unknown method': () => request('DELETE /v1/pets'),
    'no key, for an unknown method of a public document': () => request('POST /openapi.json'),
    'no key, for the usage': () => request('GET /v1/usage'),
    ...Object.fromEntries(
      ['/docs//', '/Docs', '/docs/nothing.js', '/docs/..%2fmain.js', '/openapi'].map((path) => [
        `no key, for the path ${path}`,
        () => request(`GET ${path}`),
      ]),
    ),
    'no key, OPTIONS that is no preflight': () =>
      'OPTIONS /v1/pets HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Method: GET\r\n\r\n',
    'no key, OPTIONS *': () => request('OPTIONS *'),
    'no key, CONNECT': () => request(CONNECT),
    'no key, for a target of 9,000 characters': () => request(`GET /${'x'.repeat(8999)}`),
    'no key, without Host': () => rawRequest('GET /v1/pets HTTP/1.1'),
    'HTTP/0.9, which cannot carry a key': () => 'GET /v1/pets\r\n\r\n',
    'no key, waiting for "100 Continue"': {
      bytes: () => request('POST /v1/pets', [JSON_TYPE, 'Expect: 100-continue', lengthOf(PET)]),
      bodyOnContinue: PET,
    },
  }),
  ...rows(BAD_KEY, {
    'a malformed key': ({ malformed }) => get('/v1/pets', malformed),
    'a good key and more': ({ good }) => get('/v1/pets', `${good} x`),
    'an unknown key': ({ unknown }) => get('/v1/pets', unknown),
    'two Authorization headers, both good': ({ good }) =>
      request('GET /v1/pets', [bearer(good), bearer(good)]),
    'a malformed key without a database': {
      bytes: ({ malformed }) => get('/v1/pets', malformed),
      state: 'no database',
    },
  }),
  ...rows(error(401, 'expired_api_key', 'address'), {
    'an expired key': ({ expired }) => get('/v1/pets', expired),
  }),
  ...rows(error(401, 'revoked_api_key', 'address'), {
    'a revoked key': { bytes: ({ revoked }) => post(revoked, PET), connection: 'keep-alive' },
  }),
  ...rows(READ_ONLY, {
    'a new pet of a key that may only read': ({ reading }) =>
      send('POST /v1/pets', reading, '{"name":"Rex","categoryId":7}'),
    'an unknown path of a key that may only read': ({ reading }) => send('POST /v1/nowhere', reading, '{}'),
    'an unknown method of a key that may only read': ({ reading }) => send('PUT /v1/pets/1', reading, PET),
    'CONNECT of a key that may only read': ({ reading }) => request(CONNECT, [bearer(reading)]),
  }),
  ...rows(SUSPENDED, {
    'a suspended key': { bytes: ({ suspended }) => post(suspended, PET), connection: 'keep-alive' },
    'a suspended key, HEAD': asHead(({ suspended }) => request('HEAD /v1/pets', [bearer(suspended)])),
    'a suspended key, and a body that breaks off': {
      bytes: ({ suspended }) =>
        request('POST /v1/pets', [bearer(suspended), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
      connection: 'close',
    },
  }),
  ...rows(BANNED, {
    'a banned key': { bytes: ({ banned }) => get('/v1/pets', banned), state: 'limited' },
  }),
];

const LIMITED = [
  ...rows(
    { ...error(429, 'rate_limit_exceeded', 'address'), isFree: true, state: 'limited' },
    {
      'no key, past the limit of the address': () => request('GET /v1/pets'),
      'a malformed key, past the limit of the address': ({ malformed }) => get('/v1/pets', malformed),
      'an unknown key, past the limit of the address': ({ unknown }) => get('/v1/pets', unknown),
      'a revoked key, past the limit of the address': ({ revoked }) => get('/v1/pets', revoked),
      'nonsense, past the limit of the address': () => 'nonsense\r\n\r\n',
      'an undecodable path, past the limit of the address': ({ good }) => get('/%', good),
      'CONNECT without a key, past the limit of the address': () => request(CONNECT),
    },
  ),
  ...rows(
    { ...error(429, 'rate_limit_exceeded'), isFree: true, state: 'limited' },
    {
      'a key past its minute': ({ pastMinute }) => get('/v1/pets', pastMinute),
      'a key past its day': ({ pastDay }) => post(pastDay, PET),
      'a key past its minute, for an unknown path': ({ pastMinute }) => get('/v1/nowhere', pastMinute),
      'a key past its minute, CONNECT': ({ pastMinute }) => request(CONNECT, [bearer(pastMinute)]),
    },
  ),
];

const ROUTES = [
  ...rows(NOT_FOUND, {
    'an unknown path': ({ good }) => get('/v1/nowhere', good),
    'an unknown path, of a key that may only read': ({ reading }) => get('/v1/nowhere', reading),
    'an unknown path, HEAD': asHead(({ good }) => request('HEAD /v1/nowhere', [bearer(good)])),
    'an unknown path, with a body': {
      bytes: ({ good }) => send('POST /nowhere', good, PET),
      connection: 'keep-alive',
    },
    'a slash at the end': ({ good }) => get('/v1/pets/', good),
    'another letter case': ({ good }) => get('/v1/Pets', good),
    'OPTIONS *': ({ good }) => request('OPTIONS *', [bearer(good)]),
  }),
  ...rows(
    { ...NOT_ALLOWED, allow: 'GET, HEAD, POST' },
    {
      'DELETE of the pets': ({ good }) => request('DELETE /v1/pets', [bearer(good)]),
      'PUT of the pets, with a body': {
        bytes: ({ good }) => send('PUT /v1/pets', good, PET),
        connection: 'keep-alive',
      },
      'OPTIONS that is no preflight': ({ good }) => request('OPTIONS /v1/pets', [bearer(good)]),
      TRACE: ({ good }) => request('TRACE /v1/pets', [bearer(good)]),
      PROPFIND: ({ good }) => request('PROPFIND /v1/pets', [bearer(good)]),
      QUERY: ({ good }) => request('QUERY /v1/pets', [bearer(good)]),
      'PATCH of the pets': ({ good }) => request('PATCH /v1/pets', [bearer(good)]),
    },
  ),
  ...rows(
    { ...NOT_ALLOWED, allow: 'GET, HEAD' },
    {
      'DELETE of the inventory': ({ good }) => request('DELETE /v1/store/inventory', [bearer(good)]),
      'POST of a public document': ({ good }) => request('POST /openapi.json', [bearer(good)]),
    },
  ),
  ...rows(
    { ...NOT_ALLOWED, allow: 'GET, HEAD, PATCH' },
    { 'PUT of an order': ({ good }) => send('PUT /v1/store/orders/1', good, APPROVED) },
  ),
  ...rows(
    { ...NOT_ALLOWED, allow: 'DELETE, GET, HEAD, PATCH' },
    { 'PUT of a pet, with a body': ({ good }) => send('PUT /v1/pets/1', good, PET) },
  ),
  ...rows(
    { ...NOT_ALLOWED, allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' },
    {
      CONNECT: ({ good }) => request(CONNECT, [bearer(good)]),
      'CONNECT, problem details': {
        bytes: ({ good }) => request(CONNECT, [bearer(good), `Accept: ${PROBLEM}`]),
        isProblem: true,
      },
      'CONNECT behind a request that is still running': {
        bytes: ({ good }) => request(CONNECT, [bearer(good)]),
        after: 1,
      },
    },
  ),
  ...rows(error(414, 'uri_too_long'), {
    'a target of 8,193 characters': ({ good }) => get('/v1/pets?x='.padEnd(8193, 'x'), good),
    'a target of 20,000 characters, over the limit of Node.js': {
      bytes: ({ good }) => get(`/${'x'.repeat(19_999)}`, good),
      limit: 'address',
    },
  }),
  ...rows(error(400, 'invalid_parameter'), {
    'an undecodable parameter': ({ good }) => get('/v1/pets?status=%ZZ', good),
    'an unknown parameter, in a target of 8,192 characters': ({ good }) =>
      get('/v1/pets?x='.padEnd(8192, 'x'), good),
    'a repeated parameter': ({ good }) => get('/v1/pets?limit=1&limit=1', good),
  }),
];

const CONDITIONS = [
  ...rows(error(412, 'precondition_failed'), {
    'GET of a page that has changed': ({ good }) =>
      request('GET /v1/pets', [bearer(good), 'If-Match: "another"']),
    'HEAD of a pet that has changed': asHead(({ good }) =>
      request('HEAD /v1/pets/1', [bearer(good), 'If-Match: "another", "one"', 'If-Match: "more"']),
    ),
    'PATCH of an order that has changed': ({ good }) =>
      send('PATCH /v1/store/orders/1', good, APPROVED, 'If-Match: "another"'),
  }),
];

const FREE: ReadonlySet<ErrorCode> = new Set([
  'api_key_banned',
  'api_key_suspended',
  'rate_limit_exceeded',
  'service_unavailable',
]);

const GOOD: ErrorRequest = { change: (one) => one };

/** The responses that the document names of an operation, errors in both forms. */
function rowsOf({ id, method, body, successStatus, codes }: Operation): readonly Row[] {
  const row = (name: string, status: number, { change, state }: ErrorRequest, further: Further = {}): Row => {
    const { isHead = false, isProblem = false } = further;
    const headers = { Origin: 'https://shop.example', ...(isProblem && { Accept: PROBLEM }) };
    const bytes: Bytes = (keys) => {
      const changed = withHeaders(change(REQUESTS[id]?.(keys) as RequestParts, keys), headers);
      return bytesOf(isHead ? { ...changed, method: 'HEAD' } : changed);
    };
    return { name: `${id}${name}`, bytes, status, limit: 'key', ...(state && { state }), ...further };
  };
  const failure = (name: string, code: ErrorCode, { isHead, isProblem }: Further = {}): Row => {
    const { status } = ERROR_CODES[code];
    // The end of the headers does not come, so that the service knows none of them.
    const isWithoutHeaders =
      code === 'headers_too_large' || (code === 'request_timeout' && body === undefined);
    const isOfAddress = status === 401 || code === 'service_unavailable' || isWithoutHeaders;
    return row(name, status, ERROR_REQUESTS[code], {
      ...{ code, limit: isOfAddress ? 'address' : 'key' },
      ...(FREE.has(code) && { isFree: true }),
      ...(isHead && { isHead }),
      ...(isProblem && !isWithoutHeaders && { isProblem }),
    });
  };
  const all = codes.flatMap((code) => [
    failure('', code),
    failure(', problem details', code, { isProblem: true }),
  ]);
  if (method !== 'GET') return [row('', successStatus, GOOD), ...all];
  return [
    ...[row('', 200, GOOD), row('', 304, { change: unchanged }), ...all],
    row(', HEAD', 200, GOOD, { isHead: true }),
    row(', HEAD', 304, { change: unchanged }, { isHead: true }),
    ...HEAD_CODES.map((code) => failure(', HEAD', code, { isHead: true })),
  ];
}

const BODIES = [
  ...rows(error(400, 'invalid_body'), {
    'no body': ({ good }) => request('POST /v1/pets', [bearer(good)]),
    'a change without a member that is known': ({ good }) => send('PATCH /v1/pets/4', good, '{"other":1}'),
    'members of other types': ({ good }) => post(good, '{"name":7,"status":"lost"}'),
    '500 levels within each other': ({ good }) => post(good, `{"a":${'['.repeat(499)}${']'.repeat(499)}}`),
    'thousands of members': ({ good }) =>
      post(good, `{"name":"Rex"${Array.from({ length: 7000 }, (_, n) => `,"${n}":1`).join('')}}`),
  }),
  ...rows(error(400, 'malformed_json'), {
    'JSON that breaks off': ({ good }) => post(good, '{"name":"Rex"'),
    // One byte in latin1, a third of a character in UTF-8.
    'bytes that are no UTF-8': ({ good }) =>
      Buffer.from(post(good, PET.replace('e', '?')).replace('?', '\u00e9'), 'latin1'),
  }),
  ...rows(error(400, 'invalid_idempotency_key'), {
    'an Idempotency-Key of two words': ({ good }) =>
      post(good, PET, [JSON_TYPE, 'Idempotency-Key: two words']),
  }),
  ...rows(TOO_LARGE, {
    'a body over the limit': ({ good }) => post(good, LONG_BODY),
    'a body over the limit, in chunks': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(LONG_BODY, 10_000)),
    'a length that a double would round': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Content-Length: 9007199254740993'], '{'),
    'a chunk extension without end': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], `1;a=${'b'.repeat(20_000)}`),
    'too long a body behind "100 Continue"': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [
          bearer(good),
          JSON_TYPE,
          'Expect: 100-continue',
          'Content-Length: 1000000',
        ]),
      bodyOnContinue: '',
    },
  }),
  ...rows(BAD_TYPE, {
    'another media type': ({ good }) => post(good, PET, ['Content-Type: text/plain']),
    'another media type, and half of the body': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [bearer(good), 'Content-Type: text/csv', 'Content-Length: 1000'], HALF_BODY),
      connection: 'close',
    },
    'another media type behind "100 Continue"': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [
          bearer(good),
          'Content-Type: text/csv',
          'Expect: 100-continue',
          'Content-Length: 9',
        ]),
      ...{ bodyOnContinue: '', connection: 'close' },
    },
    'another character set': ({ good }) => post(good, PET, [`${JSON_TYPE}; charset=utf-16`]),
    'no media type': ({ good }) => post(good, PET, []),
    'a content coding': ({ good }) => post(good, PET, [JSON_TYPE, 'Content-Encoding: gzip']),
    'a transfer coding besides chunks': ({ good }) =>
      request(
        'POST /v1/pets',
        [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip, chunked'],
        inChunks(PET, 9),
      ),
    'a transfer coding without an end': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip'], PET),
  }),
  ...rows(error(417, 'expectation_failed'), {
    'an unknown expectation': ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: the-unexpected']),
    // Node.js sends "100 Continue" by itself when that is among the expectations.
    'an unknown expectation beside 100-continue': {
      bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: 100-continue, the-unexpected']),
      bodyOnContinue: '',
    },
    'an unknown expectation, GET': ({ good }) => request('GET /v1/pets', [bearer(good), 'Expect: 200-ok']),
  }),
  ...rows(MALFORMED, {
    'a chunk without a size': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
    'a chunk without a size, after a good one': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
    'a chunk without a size, behind a request that is still running': {
      bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
      after: 1,
    },
    'a chunk without a size, problem details': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED, `Accept: ${PROBLEM}`], 'size\r\n'),
      isProblem: true,
    },
    'a chunk without a size, for an unknown path': ({ good }) =>
      request('POST /v1/nowhere', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
  }),
];

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
const BYTES = [
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
    { ...NOT_HTTP, isProblem: true },
    {
      'an undecodable path, problem details': () => request('GET /v1/pets/%ff', [`Accept: ${PROBLEM}`]),
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
    'an asterisk before a path': ({ good }) => request('GET *v1/pets', [bearer(good)]),
    'a URL that is not of HTTP': () => request('GET ftp://petstore.example'),
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
    'an undecodable path': ({ good }) => get('/v1/pets/%ZZ', good),
    'an undecodable path, with a body': ({ good }) => post(good, PET).replace('/v1/pets', '/v1/%C3%28'),
    'an undecodable path, with half of a body': {
      bytes: ({ good }) =>
        request('POST /v1/%', [bearer(good), JSON_TYPE, 'Content-Length: 1000'], HALF_BODY),
      connection: 'close',
    },
    'a flood of nonsense': () => FLOOD,
    'a flood of nonsense behind a request that is still running': { bytes: () => FLOOD, after: 1 },
    'nonsense behind a request that is still running': { bytes: () => 'nonsense\r\n\r\n', after: 1 },
    'nonsense behind two of them': { bytes: () => 'nonsense\r\n\r\n', after: 2 },
    'nonsense without a database': { bytes: () => 'nonsense\r\n\r\n', state: 'no database' },
  }),
  ...rows(MALFORMED, {
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

const FAILURES = [
  ...rows(
    { ...error(503, 'service_unavailable', 'address'), isFree: true, state: 'no database' },
    {
      'GET without a database': ({ good }) => get('/v1/pets', good),
      'POST without a database': ({ good }) => post(good, PET),
      'an unknown path without a database': ({ good }) => get('/nowhere', good),
      'HEAD without a database': asHead(({ good }) => request('HEAD /v1/pets', [bearer(good)])),
      'CONNECT without a database': ({ good }) => request(CONNECT, [bearer(good)]),
      'GET when the database is silent': {
        bytes: ({ good }) => get('/v1/pets', good),
        state: 'silent database',
      },
    },
  ),
  ...rows(
    { ...error(408, 'request_timeout'), state: 'impatient' },
    {
      'headers that never end': {
        bytes: () => 'GET /v1/pets HTTP/1.1\r\nHost: pet',
        limit: 'address',
      },
      'a body that never ends': ({ good }) => post(good, PET).slice(0, -1),
      'chunks that never end': ({ good }) =>
        request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\n'),
      'headers that never end, behind a good request': {
        bytes: () => 'GET /v1/pets HTTP/1.1\r\n',
        ...{ limit: 'address', after: 1 },
      },
    },
  ),
];

/** Every kind of request that the service has a response for. */
export const RESPONSE_TABLE: readonly Row[] = [
  ...[
    SUCCESSES,
    CREDENTIALS,
    LIMITED,
    ROUTES,
    CONDITIONS,
    OPERATIONS.flatMap(rowsOf),
    BODIES,
    BYTES,
    FAILURES,
  ].flat(),
];

export const rowsIn = (state: ServiceState): readonly (readonly [name: string, row: Row])[] =>
  RESPONSE_TABLE.filter((row) => (row.state ?? 'ordinary') === state).map((row) => [labelOf(row), row]);

export const labelOf = ({ status, code, name }: Row): string => `${[status, code].join(' ').trim()}: ${name}`;
