import type { Kind } from '../kind.js';
import { bearer, get, PET, post, request } from '../request-bytes.js';

/** What every row here is answered; a refused request is charged to nobody. */
const REFUSED = { status: 429, code: 'rate_limit_exceeded', free: true, on: 'used up' } as const;

/** The address and some keys are past their limits: 429. */
export const LIMITS: readonly Kind[] = [
  {
    kind: 'no key, past the limit of the address',
    bytes: () => request('GET /v1/pets'),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'a malformed key, past the limit of the address',
    bytes: ({ malformed }) => get('/v1/pets', malformed),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'an unknown key, past the limit of the address',
    bytes: ({ unknown }) => get('/v1/pets', unknown),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'a revoked key, past the limit of the address',
    bytes: ({ revoked }) => get('/v1/pets', revoked),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'nonsense, past the limit of the address',
    bytes: () => 'nonsense\r\n\r\n',
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'a path that cannot be decoded, past the limit of the address',
    bytes: ({ good }) => get('/%', good),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'CONNECT without a key, past the limit of the address',
    bytes: () => request('CONNECT petstore.example:443'),
    limit: 'address',
    ...REFUSED,
  },
  {
    kind: 'a key past its minute',
    bytes: ({ pastMinute }) => get('/v1/pets', pastMinute),
    limit: 'key',
    ...REFUSED,
  },
  { kind: 'a key past its day', bytes: ({ pastDay }) => post(pastDay, PET), limit: 'key', ...REFUSED },
  {
    kind: 'a key past its minute, for a path that does not exist',
    bytes: ({ pastMinute }) => get('/v1/nowhere', pastMinute),
    limit: 'key',
    ...REFUSED,
  },
  {
    kind: 'a key past its minute, CONNECT',
    bytes: ({ pastMinute }) => request('CONNECT petstore.example:443', [bearer(pastMinute)]),
    limit: 'key',
    ...REFUSED,
  },
  {
    kind: 'a banned key',
    bytes: ({ banned }) => get('/v1/pets', banned),
    limit: 'key',
    ...REFUSED,
    code: 'api_key_banned',
  },
  {
    kind: 'a good key, past the limit of the address',
    bytes: ({ good }) => get('/v1/pets', good),
    status: 200,
    limit: 'key',
    on: 'used up',
  },
  {
    kind: 'a preflight, past the limit of the address',
    bytes: () => request('OPTIONS /v1/pets', ['Origin: null', 'Access-Control-Request-Method: GET']),
    status: 204,
    limit: 'address',
    free: true,
    on: 'used up',
  },
];
