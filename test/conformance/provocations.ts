import type { ErrorCode } from '../../src/common/errors/error-codes.js';
import { HELD_CLAIM, type Request, type Stage } from './stage.js';

/** Turns a request that would succeed into one that is answered with a code. */
export type Provocation = (request: Request, stage: Stage) => Request | Promise<Request>;

/** What belongs to no operation. */
type OfNoOperation = 'not_found' | 'method_not_allowed';

const NOBODYS_ID = '4711';

export const PROVOCATIONS: Readonly<Record<Exclude<ErrorCode, OfNoOperation>, Provocation>> = {
  malformed_json: (request) => ({ ...request, body: '{' }),
  invalid_body: (request) => ({ ...request, body: '[]' }),
  invalid_parameter: (request) => withQuery(request, 'limit=0'),
  malformed_request: ({ headers: { Host: _host, ...headers }, ...request }) => ({ ...request, headers }),
  unknown_pet: (request) => ({ ...request, body: `{"petId":${NOBODYS_ID}}` }),
  invalid_idempotency_key: (request) => withHeaders(request, { 'Idempotency-Key': 'not visible' }),
  missing_api_key: ({ headers: { Authorization: _key, ...headers }, ...request }) => ({
    ...request,
    headers,
  }),
  invalid_api_key: (request) => withKey(request, 'psk_guessed'),
  expired_api_key: (request, { keys }) => withKey(request, keys.expired),
  revoked_api_key: (request, { keys }) => withKey(request, keys.revoked),
  pet_not_found: (request) => ({ ...request, target: `/v1/pets/${NOBODYS_ID}` }),
  order_not_found: (request) => ({ ...request, target: `/v1/store/orders/${NOBODYS_ID}` }),
  // The body does not come, or where there is none, the end of the headers.
  request_timeout: (request, { impatient }) => ({
    ...request,
    service: impatient,
    cutAt: -(request.body?.length ?? 2),
  }),
  pet_not_available: (request) => ({ ...request, body: '{"petId":1}' }),
  order_transition_not_allowed: (request) => ({ ...request, target: '/v1/store/orders/2' }),
  request_in_progress: (request) => withHeaders(request, { 'Idempotency-Key': HELD_CLAIM }),
  operation_removed: (request, { future }) => ({ ...request, service: future }),
  precondition_failed: (request) => withHeaders(request, { 'If-Match': '"another"' }),
  body_too_large: (request) => ({ ...request, body: `{"x":"${'x'.repeat(70_000)}"}` }),
  uri_too_long: (request) => withQuery(request, 'x'.repeat(9_000)),
  unsupported_media_type: (request) => withHeaders(request, { 'Content-Type': 'text/plain' }),
  expectation_failed: (request) => withHeaders(request, { Expect: 'more' }),
  idempotency_key_reused: async (request, stage) => {
    const first = withHeaders(request, {
      'Idempotency-Key': `used by ${request.target}`.replaceAll(' ', '-'),
    });
    await stage.send(first);
    return { ...first, body: `${first.body} ` };
  },
  rate_limit_exceeded: (request, { keys }) => withKey(request, keys.usedUp),
  api_key_banned: (request, { keys }) => withKey(request, keys.suspended),
  headers_too_large: (request) => withHeaders(request, { 'X-Large': 'x'.repeat(17_000) }),
  internal_error: (request, { broken }) => ({ ...request, service: broken }),
  service_unavailable: (request, { cutOff }) => ({ ...request, service: cutOff }),
};

export const withHeaders = (request: Request, headers: Readonly<Record<string, string>>): Request => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

const withKey = (request: Request, key: string): Request =>
  withHeaders(request, { Authorization: `Bearer ${key}` });

const withQuery = (request: Request, query: string): Request => ({
  ...request,
  target: `${request.target}?${query}`,
});

export const unchanged = (request: Request): Request => withHeaders(request, { 'If-None-Match': '*' });

export const asHead = (request: Request): Request => ({ ...request, method: 'HEAD' });
