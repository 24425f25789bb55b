import type { Kind } from '../kind.js';
import { bearer, CHUNKED, get, JSON_TYPE, PET, post, request } from '../request-bytes.js';

/** Nobody can decide, so nobody is admitted, and nobody is charged. */
const UNAVAILABLE = {
  status: 503,
  code: 'service_unavailable',
  limit: 'address',
  free: true,
  on: 'no database',
} as const;

/** The database is away: 503. What needs no decision of it is answered as ever. */
const WITHOUT_DATABASE: readonly Kind[] = [
  { kind: 'GET without a database', bytes: ({ good }) => get('/v1/pets', good), ...UNAVAILABLE },
  { kind: 'POST without a database', bytes: ({ good }) => post(good, PET), ...UNAVAILABLE },
  { kind: 'an unknown path without a database', bytes: ({ good }) => get('/nowhere', good), ...UNAVAILABLE },
  {
    kind: 'HEAD without a database',
    bytes: ({ good }) => request('HEAD /v1/pets', [bearer(good)]),
    ...UNAVAILABLE,
    isHead: true,
  },
  {
    kind: 'CONNECT without a database',
    bytes: ({ good }) => request('CONNECT petstore.example:443', [bearer(good)]),
    ...UNAVAILABLE,
  },
  {
    kind: 'GET when the database is silent',
    bytes: ({ good }) => get('/v1/pets', good),
    ...UNAVAILABLE,
    on: 'silent database',
  },
  {
    kind: 'a malformed key without a database',
    bytes: ({ malformed }) => get('/v1/pets', malformed),
    status: 401,
    code: 'invalid_api_key',
    limit: 'address',
    on: 'no database',
  },
  {
    kind: 'nonsense without a database',
    bytes: () => 'nonsense\r\n\r\n',
    status: 400,
    code: 'malformed_request',
    limit: 'address',
    on: 'no database',
  },
];

const TOO_LATE = { status: 408, code: 'request_timeout', on: 'impatient' } as const;

/** What does not arrive in time: 408. */
const LATE: readonly Kind[] = [
  {
    kind: 'headers that never end',
    bytes: () => 'GET /v1/pets HTTP/1.1\r\nHost: pet',
    limit: 'address',
    ...TOO_LATE,
  },
  {
    kind: 'a body that never ends',
    bytes: ({ good }) => post(good, PET).slice(0, -1),
    limit: 'key',
    ...TOO_LATE,
  },
  {
    kind: 'chunks that never end',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\n'),
    limit: 'key',
    ...TOO_LATE,
  },
  {
    kind: 'headers that never end, behind a good request',
    bytes: () => 'GET /v1/pets HTTP/1.1\r\n',
    after: 1,
    limit: 'address',
    ...TOO_LATE,
  },
];

export const TROUBLES: readonly Kind[] = [...WITHOUT_DATABASE, ...LATE];
