import type { Kind } from '../kind.js';
import { bearer, get, request } from '../request-bytes.js';

/** What anybody may read: no key is asked for or charged, and the address is not, either. */
const PUBLIC = { status: 200, limit: 'address', free: true } as const;

export const DOCUMENTS: readonly Kind[] = [
  { kind: 'the OpenAPI document', bytes: () => request('GET /openapi.json'), ...PUBLIC },
  { kind: 'the OpenAPI document in YAML', bytes: () => request('GET /openapi.yaml'), ...PUBLIC },
  { kind: 'the documentation', bytes: () => request('GET /docs'), ...PUBLIC },
  { kind: 'the documentation, HEAD', bytes: () => request('HEAD /docs'), ...PUBLIC, isHead: true },
  { kind: 'a public document, with a key', bytes: ({ good }) => get('/openapi.json', good), ...PUBLIC },
  {
    kind: 'a public document, with a revoked key',
    bytes: ({ revoked }) => get('/openapi.json', revoked),
    ...PUBLIC,
  },
  {
    kind: 'a public document that the client has already',
    bytes: () => request('GET /openapi.json', ['If-None-Match: *']),
    ...PUBLIC,
    status: 304,
  },
  {
    kind: 'a public document that is no longer what the client has',
    bytes: () => request('GET /openapi.json', ['If-Match: "another"']),
    ...PUBLIC,
    status: 412,
    code: 'precondition_failed',
  },
  {
    kind: 'a public document, past the limit of the address',
    bytes: () => request('GET /openapi.json'),
    ...PUBLIC,
    on: 'used up',
  },
  {
    kind: 'a public document without a database',
    bytes: () => request('GET /openapi.json'),
    ...PUBLIC,
    on: 'no database',
  },
  {
    kind: 'a method that a public document does not have',
    bytes: ({ good }) => request('POST /openapi.json', [bearer(good)]),
    status: 405,
    code: 'method_not_allowed',
    allow: 'GET, HEAD',
    limit: 'key',
  },
  {
    kind: 'a method that a public document does not have, without a key',
    bytes: () => request('POST /openapi.json'),
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
];
