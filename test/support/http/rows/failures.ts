import { bearer, CHUNKED, get, JSON_TYPE, PET, post, request } from '../request-bytes.js';
import { rows, error, CONNECT, asHead } from './row.js';

export const FAILURES = [
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
