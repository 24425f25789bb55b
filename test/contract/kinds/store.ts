import type { Kind } from '../kind.js';
import { bearer, get, JSON_TYPE, lengthOf, request } from '../request-bytes.js';

const send = (line: string, key: string, body: string): string =>
  request(line, [bearer(key), JSON_TYPE, lengthOf(body)], body);

/** Orders, inventory and usage; the animals and orders that they name are those of `circumstances.ts`. */
export const STORE: readonly Kind[] = [
  {
    kind: 'GET of the orders',
    bytes: ({ good }) => get('/v1/store/orders', good),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'HEAD of the orders',
    bytes: ({ good }) => request('HEAD /v1/store/orders', [bearer(good)]),
    status: 200,
    limit: 'key',
    isHead: true,
  },
  {
    kind: 'GET of an order',
    bytes: ({ good }) => get('/v1/store/orders/1', good),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'POST of an order',
    bytes: ({ good }) => send('POST /v1/store/orders', good, '{"petId":2}'),
    status: 201,
    limit: 'key',
  },
  {
    kind: 'PATCH of an order',
    bytes: ({ good }) => send('PATCH /v1/store/orders/1', good, '{"status":"approved"}'),
    status: 200,
    limit: 'key',
  },
  {
    kind: 'PATCH of an order that is no longer what the client has',
    bytes: ({ good }) =>
      request(
        'PATCH /v1/store/orders/1',
        [bearer(good), JSON_TYPE, 'If-Match: "another"', lengthOf('{"status":"approved"}')],
        '{"status":"approved"}',
      ),
    status: 412,
    code: 'precondition_failed',
    limit: 'key',
  },
  {
    kind: 'GET of the inventory',
    bytes: ({ good }) => get('/v1/store/inventory', good),
    status: 200,
    limit: 'key',
  },
  { kind: 'GET of the usage', bytes: ({ good }) => get('/v1/usage', good), status: 200, limit: 'key' },
  {
    kind: 'GET of the usage without a key',
    bytes: () => request('GET /v1/usage'),
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
  {
    kind: 'an order that does not exist',
    bytes: ({ good }) => get('/v1/store/orders/404', good),
    status: 404,
    code: 'order_not_found',
    limit: 'key',
  },
  {
    kind: 'an order of an animal that does not exist',
    bytes: ({ good }) => send('POST /v1/store/orders', good, '{"petId":404}'),
    status: 400,
    code: 'unknown_pet',
    limit: 'key',
  },
  {
    kind: 'an order of an animal that is not available',
    bytes: ({ good }) => send('POST /v1/store/orders', good, '{"petId":1}'),
    status: 409,
    code: 'pet_not_available',
    limit: 'key',
  },
  {
    kind: 'a step that an order cannot take',
    bytes: ({ good }) => send('PATCH /v1/store/orders/2', good, '{"status":"approved"}'),
    status: 409,
    code: 'order_transition_not_allowed',
    limit: 'key',
  },
  {
    kind: 'a method that an order does not have',
    bytes: ({ good }) => send('PUT /v1/store/orders/1', good, '{"status":"approved"}'),
    status: 405,
    code: 'method_not_allowed',
    allow: 'GET, HEAD, PATCH',
    limit: 'key',
  },
  {
    kind: 'a method that the inventory does not have',
    bytes: ({ good }) => request('DELETE /v1/store/inventory', [bearer(good)]),
    status: 405,
    code: 'method_not_allowed',
    allow: 'GET, HEAD',
    limit: 'key',
  },
];
