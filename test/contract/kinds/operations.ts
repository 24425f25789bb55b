import type { Kind } from '../kind.js';
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

/** What is answered as it was asked. The animal 1 exists. */
export const OPERATIONS: readonly Kind[] = [
  { kind: 'GET of the list', bytes: ({ good }) => get('/v1/pets', good), status: 200, limit: 'key' },
  {
    kind: 'GET of the list with every parameter, and one that is not known',
    bytes: ({ good }) => get('/v1/pets?limit=5&status=sold&colour=red', good),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'GET of what the client has already',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'If-None-Match: *']),
    status: 304,
    limit: 'key',
  },
  {
    kind: 'GET of what is no longer what the client has',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'If-Match: "another"']),
    status: 412,
    code: 'precondition_failed',
    limit: 'key',
  },
  {
    kind: 'HEAD of what is no longer what the client has',
    bytes: ({ good }) =>
      request('HEAD /v1/pets/1', [bearer(good), 'If-Match: "another", "one"', 'If-Match: "more"']),
    status: 412,
    code: 'precondition_failed',
    limit: 'key',
    isHead: true,
  },
  {
    kind: 'HEAD of the list',
    bytes: ({ good }) => request('HEAD /v1/pets', [bearer(good)]),
    status: 200,
    limit: 'key',
    isHead: true,
  },
  { kind: 'GET of one animal', bytes: ({ good }) => get('/v1/pets/1', good), status: 200, limit: 'key' },
  {
    kind: 'HEAD of one animal',
    bytes: ({ good }) => request('HEAD /v1/pets/1', [bearer(good)]),
    status: 200,
    limit: 'key',
    isHead: true,
  },
  { kind: 'POST of an animal', bytes: ({ good }) => post(good, PET), status: 201, limit: 'key' },
  {
    kind: 'POST of an animal that may be repeated',
    bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Idempotency-Key: once']),
    status: 201,
    limit: 'key',
  },
  {
    kind: 'POST in chunks',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(PET, 10)),
    status: 201,
    limit: 'key',
  },
  {
    kind: 'POST that waits for "100 Continue"',
    bytes: ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Expect: 100-continue', lengthOf(PET)]),
    bodyOnContinue: PET,
    status: 201,
    limit: 'key',
  },
  {
    kind: 'GET with a body, which means nothing',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), lengthOf('<>')], '<>'),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'the scheme in another letter case',
    bytes: ({ good }) => request('GET /v1/pets', [`Authorization: bEARER  ${good}`]),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'a whole URL as the target',
    bytes: ({ good }) => get('http://petstore.example/v1/pets?limit=1', good),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'HTTP/1.0 without Host',
    bytes: ({ good }) => rawRequest('GET /v1/pets HTTP/1.0', [bearer(good)]),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'empty lines before the request',
    bytes: ({ good }) => `\r\n\r\n${get('/v1/pets', good)}`,
    status: 200,
    limit: 'key',
  },
  {
    kind: 'an offer to speak HTTP/2 instead',
    bytes: ({ good }) =>
      request('GET /v1/pets', [
        bearer(good),
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABk',
      ]),
    status: 200,
    limit: 'key',
  },
  {
    kind: '3,000 short headers before the key',
    bytes: ({ good }) => request('GET /v1/pets', [...Array<string>(3000).fill('a:b'), bearer(good)]),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'two requests at once',
    bytes: ({ good }) => get('/v1/pets', good),
    after: 1,
    status: 200,
    limit: 'key',
  },
  {
    kind: 'a preflight',
    bytes: () =>
      request('OPTIONS /v1/pets', [
        'Origin: https://shop.example',
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: authorization, content-type',
      ]),
    status: 204,
    limit: 'address',
    free: true,
  },
  {
    kind: 'a preflight of a path that does not exist',
    bytes: () =>
      request('OPTIONS /nowhere', ['Origin: https://shop.example', 'Access-Control-Request-Method: GET']),
    status: 204,
    limit: 'address',
    free: true,
  },
];
