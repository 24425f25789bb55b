import {
  bearer,
  CHUNKED,
  get,
  JSON_TYPE,
  lengthOf,
  PET,
  post,
  rawRequest,
  request,
} from '../request-bytes.js';
import { PROBLEM, rows, error, send, CONNECT, HALF_BODY, asHead } from './row.js';

const APPROVED = '{"status":"approved"}';
const NOT_ALLOWED = error(405, 'method_not_allowed');
const NOT_FOUND = error(404, 'not_found');
const BANNED = { ...error(429, 'api_key_banned'), isFree: true } as const;
const READ_ONLY = error(403, 'read_only_api_key');
const SUSPENDED = { ...error(403, 'api_key_suspended'), isFree: true } as const;
const BAD_KEY = error(401, 'invalid_api_key', 'address');
const NO_KEY = error(401, 'missing_api_key', 'address');

export const CREDENTIALS = [
  ...rows(NO_KEY, {
    'no key': () => request('GET /v1/pets'),
    'no key, and an undecodable path': () => request('GET /v1/pets/%zz'),
    'no key, and a URL that is not of HTTP': () => request('GET ftp://petstore.example'),
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

export const LIMITED = [
  ...rows(
    { ...error(429, 'rate_limit_exceeded', 'address'), isFree: true, state: 'limited' },
    {
      'no key, past the limit of the address': () => request('GET /v1/pets'),
      'a malformed key, past the limit of the address': ({ malformed }) => get('/v1/pets', malformed),
      'an unknown key, past the limit of the address': ({ unknown }) => get('/v1/pets', unknown),
      'a revoked key, past the limit of the address': ({ revoked }) => get('/v1/pets', revoked),
      'nonsense, past the limit of the address': () => 'nonsense\r\n\r\n',
      'an undecodable path, past the limit of the address': () => request('GET /%'),
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

export const ROUTES = [
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
    'an undecodable target of 8,193 characters': ({ good }) => get('/v1/%zz'.padEnd(8193, 'x'), good),
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

export const CONDITIONS = [
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
