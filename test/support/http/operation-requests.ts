import type { ErrorCode } from '../../../src/errors/error-codes.js';
import type { Keys, ServiceState } from './service-states.js';

/** A request in its parts. */
export interface RequestParts {
  readonly method: string;
  readonly target: string;
  /** `Content-Length` is added unless it is here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sends no more than this many characters; a negative number leaves so many out at the end. */
  readonly cutAt?: number;
}

/** Makes a request that would succeed have the response of an error code. */
export interface ErrorRequest {
  readonly change: (request: RequestParts, keys: Keys) => RequestParts;
  /** The state of the service; `ordinary` unless given. */
  readonly state?: ServiceState;
}

/** The identifier of no record. */
const NO_ID = '4711';

/** The Idempotency-Key whose first request is still in progress. */
export const KEY_IN_PROGRESS = 'in-progress';

export const withHeaders = (
  request: RequestParts,
  headers: Readonly<Record<string, string>>,
): RequestParts => ({ ...request, headers: { ...request.headers, ...headers } });

const without = ({ headers, ...request }: RequestParts, name: string): RequestParts => ({
  ...request,
  headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
});

const withKey = (request: RequestParts, key: string): RequestParts =>
  withHeaders(request, { Authorization: `Bearer ${key}` });

const withQuery = (request: RequestParts, query: string): RequestParts => ({
  ...request,
  target: `${request.target}?${query}`,
});

const always = (change: ErrorRequest['change'], state?: ServiceState): ErrorRequest => ({
  change,
  ...(state && { state }),
});

export const ERROR_REQUESTS: Readonly<Record<ErrorCode, ErrorRequest>> = {
  missing_api_key: always((request) => without(request, 'Authorization')),
  invalid_api_key: always((request, { malformed }) => withKey(request, malformed)),
  expired_api_key: always((request, { expired }) => withKey(request, expired)),
  revoked_api_key: always((request, { revoked }) => withKey(request, revoked)),
  api_key_suspended: always((request, { suspended }) => withKey(request, suspended)),
  read_only_api_key: always((request, { reading }) => withKey(request, reading)),
  api_key_banned: always((request, { banned }) => withKey(request, banned), 'limited'),
  rate_limit_exceeded: always((request, { pastMinute }) => withKey(request, pastMinute), 'limited'),
  uri_too_long: always((request) => withQuery(request, 'x'.repeat(9_000))),
  malformed_request: always((request) => without(request, 'Host')),
  headers_too_large: always((request) => withHeaders(request, { 'X-Large': 'x'.repeat(17_000) })),
  not_found: always((request) => ({ ...request, target: request.target.replace('pets', 'nowhere') })),
  method_not_allowed: always((request) => ({ ...request, method: 'PUT' })),
  expectation_failed: always((request) => withHeaders(request, { Expect: 'the-unexpected' })),
  operation_removed: always((request) => request, 'future'),
  body_too_large: always((request) => withHeaders(request, { 'Content-Length': '100000' })),
  unsupported_media_type: always((request) => withHeaders(request, { 'Content-Type': 'text/plain' })),
  malformed_json: always((request) => ({ ...request, body: (request.body ?? '{}').replace('}', ']') })),
  invalid_body: always((request) => ({ ...request, body: '{"other":1}' })),
  invalid_parameter: always((request) => withQuery(request, 'limit=0')),
  invalid_idempotency_key: always((request) => withHeaders(request, { 'Idempotency-Key': 'two words' })),
  request_in_progress: always((request) => withHeaders(request, { 'Idempotency-Key': KEY_IN_PROGRESS })),
  // The test has sent another request with this key before.
  idempotency_key_reused: always((request) => ({
    ...withHeaders(request, { 'Idempotency-Key': reusedKey(request) }),
    body: `${request.body ?? ''} `,
  })),
  unknown_pet: always((request) => ({ ...request, body: `{"petId":${NO_ID}}` })),
  pet_not_found: always((request) => ({ ...request, target: `/v1/pets/${NO_ID}` })),
  order_not_found: always((request) => ({ ...request, target: `/v1/store/orders/${NO_ID}` })),
  category_not_found: always((request) => ({ ...request, target: '/v1/categories/none' })),
  // Category 1 is called Dogs, and pets refer to it.
  category_exists: always((request) => ({ ...request, body: '{"name":"DOGS"}' })),
  category_in_use: always((request) => ({ ...request, target: '/v1/categories/1' })),
  pet_not_available: always((request) => ({ ...request, body: '{"petId":1}' })),
  // Order 1 of pet 1 is open, order 2 of pet 2 delivered.
  pet_has_open_order: always((request) => ({
    ...request,
    target: '/v1/pets/1',
    ...(request.body !== undefined && { body: '{"status":"sold"}' }),
  })),
  pet_is_sold: always((request) => ({ ...request, target: '/v1/pets/2' })),
  order_transition_not_allowed: always((request) => ({ ...request, target: '/v1/store/orders/2' })),
  precondition_failed: always((request) => withHeaders(request, { 'If-Match': '"another"' })),
  // The body does not come, or where there is none, the end of the headers.
  request_timeout: always((request) => ({ ...request, cutAt: -(request.body?.length ?? 2) }), 'impatient'),
  internal_error: always((request) => request, 'failing'),
  service_unavailable: always((request) => request, 'no database'),
};

export const reusedKey = ({ target }: Pick<RequestParts, 'target'>): string => `used-by-${target}`;

export const unchanged = (request: RequestParts): RequestParts =>
  withHeaders(request, { 'If-None-Match': '*' });

const PET_IDS = { next: 10, nextDeleted: 1000 };
const CATEGORY_IDS = { nextName: 0, nextDeleted: 10_000 };

/** A request that succeeds, for each operation of the document. */
export const REQUESTS: Readonly<Record<string, (keys: Keys) => RequestParts>> = {
  listPets: (keys) => requestOf(keys, 'GET', '/v1/pets'),
  createPet: (keys) => requestOf(keys, 'POST', '/v1/pets', '{"name":"Rex","categoryId":7}'),
  getPet: (keys) => requestOf(keys, 'GET', '/v1/pets/1'),
  updatePet: (keys) => requestOf(keys, 'PATCH', '/v1/pets/5', '{"name":"Max"}'),
  // A pet that is not deleted yet.
  deletePet: (keys) => requestOf(keys, 'DELETE', `/v1/pets/${(PET_IDS.nextDeleted += 1)}`),
  listCategories: (keys) => requestOf(keys, 'GET', '/v1/categories'),
  // A name that no category has yet.
  createCategory: (keys) =>
    requestOf(keys, 'POST', '/v1/categories', `{"name":"New ${(CATEGORY_IDS.nextName += 1)}"}`),
  getCategory: (keys) => requestOf(keys, 'GET', '/v1/categories/1'),
  putCategory: (keys) => requestOf(keys, 'PUT', '/v1/categories/2', '{"name":"Felines"}'),
  // A category that is not deleted yet.
  deleteCategory: (keys) => requestOf(keys, 'DELETE', `/v1/categories/${(CATEGORY_IDS.nextDeleted += 1)}`),
  listOrders: (keys) => requestOf(keys, 'GET', '/v1/store/orders'),
  // A pet that is not ordered yet.
  placeOrder: (keys) => requestOf(keys, 'POST', '/v1/store/orders', `{"petId":${(PET_IDS.next += 1)}}`),
  getOrder: (keys) => requestOf(keys, 'GET', '/v1/store/orders/1'),
  updateOrder: (keys) => requestOf(keys, 'PATCH', '/v1/store/orders/1', '{"status":"placed"}'),
  getInventory: (keys) => requestOf(keys, 'GET', '/v1/store/inventory'),
  getUsage: (keys) => requestOf(keys, 'GET', '/v1/usage'),
};

function requestOf({ good }: Keys, method: string, target: string, body?: string): RequestParts {
  return {
    method,
    target,
    headers: {
      Host: 'petstore.example',
      Authorization: `Bearer ${good}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  };
}

export function bytesOf({ method, target, headers, body, cutAt }: RequestParts): string {
  const lines = Object.entries({
    ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`.slice(0, cutAt);
}
