import {
  bearer,
  CHUNKED,
  get,
  inChunks,
  JSON_TYPE,
  lengthOf,
  PET,
  post,
  rawRequest,
  request,
} from '../request-bytes.js';
import { rows, send, BYTES_MAX, asHead } from './row.js';

const PREFLIGHT = ['Origin: https://shop.example', 'Access-Control-Request-Method: POST'];
const DOCUMENT = { status: 200, limit: 'documents' } as const;
const OK = { status: 200, limit: 'key' } as const;

export const SUCCESSES = [
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
    'the docs page as Markdown': () => request('GET /docs.md'),
    'what assistants read first': () => request('GET /llms.txt'),
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
