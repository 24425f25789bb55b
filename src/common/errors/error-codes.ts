/**
 * Every code of an error response, with its status and its default message.
 * The set is closed: the OpenAPI document and the typed client are made from this table.
 */
export const ERROR_CODES = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_body: { status: 400, message: 'The body does not match the documented schema.' },
  invalid_parameter: { status: 400, message: 'A query parameter is unknown or has an invalid value.' },
  malformed_request: { status: 400, message: 'The request is not valid HTTP.' },
  unknown_pet: { status: 400, message: 'There is no pet with this petId.' },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  },
  missing_api_key: {
    status: 401,
    message: 'An API key is required. Send it as "Authorization: Bearer <key>".',
  },
  invalid_api_key: { status: 401, message: 'The API key is not valid.' },
  expired_api_key: { status: 401, message: 'The API key has expired.' },
  revoked_api_key: { status: 401, message: 'The API key has been revoked.' },
  api_key_suspended: { status: 403, message: 'The API key is suspended. Contact the operator of this API.' },
  read_only_api_key: { status: 403, message: 'The API key may only read: GET and HEAD.' },
  not_found: { status: 404, message: 'This path does not exist.' },
  pet_not_found: { status: 404, message: 'There is no pet with this petId.' },
  order_not_found: { status: 404, message: 'There is no order with this orderId.' },
  method_not_allowed: { status: 405, message: 'This path does not support this method.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  pet_not_available: { status: 409, message: 'The pet is not available.' },
  pet_has_open_order: {
    status: 409,
    message: 'The pet has an open order. Deliver or cancel the order first.',
  },
  pet_is_sold: { status: 409, message: 'The pet was sold: it has a delivered order.' },
  order_transition_not_allowed: {
    status: 409,
    message: 'The order cannot change from its current status to the requested one.',
  },
  request_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still in progress.',
  },
  operation_removed: { status: 410, message: 'This operation has been removed.' },
  precondition_failed: {
    status: 412,
    message: 'The current ETag of the resource does not meet If-Match or If-None-Match.',
  },
  body_too_large: { status: 413, message: 'The body is too large.' },
  uri_too_long: { status: 414, message: 'The request URI is too long.' },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be application/json in UTF-8, without Content-Encoding.',
  },
  expectation_failed: { status: 417, message: 'The only supported expectation is 100-continue.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was already used for a different request.',
  },
  rate_limit_exceeded: { status: 429, message: 'Too many requests. Retry-After gives the seconds to wait.' },
  api_key_banned: {
    status: 429,
    message: 'The API key is banned temporarily. Retry-After gives the seconds to wait.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  internal_error: { status: 500, message: 'An unexpected error occurred in the service.' },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Retry-After gives the seconds to wait.',
  },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
