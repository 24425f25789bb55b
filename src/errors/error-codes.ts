/**
 * Every code of an error response, with its status and its default message.
 * The set is closed: the OpenAPI document and the typed client are made from this table.
 */
export const ERROR_CODES = {
  malformed_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_body: { status: 400, message: 'The body does not have the documented form.' },
  invalid_parameter: { status: 400, message: 'A parameter has an invalid value.' },
  malformed_request: { status: 400, message: 'The request is not well-formed HTTP.' },
  unknown_pet: { status: 400, message: 'There is no animal with this petId.' },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  },
  missing_api_key: {
    status: 401,
    message: 'An API key is required: send it as "Authorization: Bearer <key>".',
  },
  invalid_api_key: { status: 401, message: 'The API key is not valid.' },
  expired_api_key: { status: 401, message: 'The API key has expired.' },
  revoked_api_key: { status: 401, message: 'The API key has been revoked.' },
  not_found: { status: 404, message: 'There is nothing at this path.' },
  pet_not_found: { status: 404, message: 'There is no animal with this petId.' },
  order_not_found: { status: 404, message: 'There is no order with this orderId.' },
  method_not_allowed: { status: 405, message: 'This path does not offer this method.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  pet_not_available: { status: 409, message: 'The animal is not available.' },
  order_transition_not_allowed: {
    status: 409,
    message: 'The order cannot go from its present status to this one.',
  },
  request_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still under way.',
  },
  operation_removed: { status: 410, message: 'This operation has been removed.' },
  precondition_failed: {
    status: 412,
    message: 'If-Match names no tag that the resource has now: read it again.',
  },
  body_too_large: { status: 413, message: 'The body is too large.' },
  uri_too_long: { status: 414, message: 'The request target is too long.' },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be application/json in UTF-8, without a content coding.',
  },
  expectation_failed: { status: 417, message: 'The only expectation this service meets is 100-continue.' },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used before with another request.',
  },
  rate_limit_exceeded: { status: 429, message: 'Too many requests: retry after the time in Retry-After.' },
  api_key_banned: {
    status: 429,
    message: 'The API key is banned for a time: retry after the time in Retry-After.',
  },
  headers_too_large: { status: 431, message: 'The request headers are too large.' },
  internal_error: { status: 500, message: 'Something went wrong in the service.' },
  service_unavailable: { status: 503, message: 'The service cannot answer right now: retry shortly.' },
} as const satisfies Record<string, { readonly status: number; readonly message: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
