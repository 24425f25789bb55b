export interface ErrorRow {
  readonly status: number;
  /** The default message. */
  readonly message: string;
  /** What a caller can do. */
  readonly advice: string;
  /** The member of the body that causes it. */
  readonly member?: string;
  /** The operations that return it; absent if the method and the inputs of an operation determine that. */
  readonly operations?: readonly string[];
}

/** All error codes. The OpenAPI document and the typed client are generated from this list, and `docs/errors.md` is checked against it. */
export const ERROR_CODES = {
  malformed_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    advice: 'Send valid JSON in UTF-8, with each member once.',
  },
  invalid_body: {
    status: 400,
    message: 'The body does not match the documented schema.',
    advice: 'Correct the members that the message names.',
  },
  invalid_parameter: {
    status: 400,
    message: 'A query parameter is unknown or has an invalid value.',
    advice: 'Correct the parameters that the message names.',
  },
  malformed_request: {
    status: 400,
    message: 'The request is not valid HTTP.',
    advice: 'Check the URL and the headers that you send.',
  },
  unknown_pet: {
    status: 400,
    message: 'There is no pet with this petId.',
    advice: 'Check the id: the pet may have been deleted.',
    member: 'petId',
    operations: ['placeOrder'],
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
    advice: 'Send a UUID, for example.',
  },
  missing_api_key: {
    status: 401,
    message: 'An API key is required. Send it as "Authorization: Bearer <key>".',
    advice: 'Get a key from the operator of this API.',
  },
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid.',
    advice: 'Check that you send the whole key.',
  },
  expired_api_key: {
    status: 401,
    message: 'The API key has expired.',
    advice: 'Get a new key from the operator.',
  },
  revoked_api_key: {
    status: 401,
    message: 'The API key has been revoked.',
    advice: 'Get a new key from the operator.',
  },
  api_key_suspended: {
    status: 403,
    message: 'The API key is suspended. Contact the operator of this API.',
    advice: 'If the response has Retry-After, wait that long; otherwise contact the operator.',
  },
  read_only_api_key: {
    status: 403,
    message: 'The API key may only read: GET and HEAD.',
    advice: 'Use a key that may write. It belongs on a server, not in a web page.',
  },
  not_found: {
    status: 404,
    message: 'This path does not exist.',
    advice: 'Check the path: it starts with /v1 and has no trailing slash.',
  },
  pet_not_found: {
    status: 404,
    message: 'There is no pet with this petId.',
    advice: 'Check the id: the pet may have been deleted.',
    operations: ['getPet', 'updatePet', 'deletePet'],
  },
  order_not_found: {
    status: 404,
    message: 'There is no order with this orderId.',
    advice: 'Check the id: a cancelled order is deleted with its pet.',
    operations: ['getOrder', 'updateOrder'],
  },
  category_not_found: {
    status: 404,
    message: 'There is no category with this categoryId.',
    advice: 'Check the number: pets may refer to one that has no name.',
    operations: ['getCategory', 'putCategory', 'deleteCategory'],
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not support this method.',
    advice: 'Use one of the methods in Allow.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    advice: 'Send it again, without pauses within the request.',
  },
  pet_not_available: {
    status: 409,
    message: 'The pet is not available.',
    advice: 'Order another pet.',
    member: 'petId',
    operations: ['placeOrder'],
  },
  pet_has_open_order: {
    status: 409,
    message: 'The pet has an open order. Deliver or cancel the order first.',
    advice: 'Change the order, then send the request again.',
    member: 'status',
    operations: ['updatePet', 'deletePet'],
  },
  pet_is_sold: {
    status: 409,
    message: 'The pet was sold: it has a delivered order.',
    advice: 'A sold pet cannot be deleted, because its order refers to it.',
    operations: ['deletePet'],
  },
  order_transition_not_allowed: {
    status: 409,
    message: 'The order cannot change from its current status to the requested one.',
    advice: 'Read the order again: it may have changed.',
    member: 'status',
    operations: ['updateOrder'],
  },
  category_exists: {
    status: 409,
    message: 'Another category has this name (ASCII case is ignored).',
    advice: 'List the categories with this name, and use the existing one.',
    member: 'name',
    operations: ['createCategory', 'putCategory'],
  },
  category_in_use: {
    status: 409,
    message: 'A pet refers to the category.',
    advice: 'List the pets with this categoryId, and change or delete them first.',
    operations: ['deleteCategory'],
  },
  request_in_progress: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still in progress.',
    advice: 'Repeat it after Retry-After, with the same Idempotency-Key.',
  },
  operation_removed: {
    status: 410,
    message: 'This operation has been removed.',
    advice: 'Use the successor that the Link header names.',
  },
  precondition_failed: {
    status: 412,
    message: 'The current ETag of the resource does not meet If-Match or If-None-Match.',
    advice: 'Read the resource again, then apply your change to its current version.',
  },
  body_too_large: { status: 413, message: 'The body is too large.', advice: 'Send a smaller body.' },
  uri_too_long: {
    status: 414,
    message: 'The request URI is too long.',
    advice: 'Send fewer filter values at a time.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be application/json in UTF-8, without Content-Encoding.',
    advice: 'Set Content-Type to application/json.',
  },
  expectation_failed: {
    status: 417,
    message: 'The only supported expectation is 100-continue.',
    advice: 'Remove the Expect header.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was already used for a different request.',
    advice: 'Use a new key for each new request.',
  },
  rate_limit_exceeded: {
    status: 429,
    message: 'Too many requests. Retry-After gives the seconds to wait.',
    advice: 'Wait the seconds in Retry-After: retrying earlier may start a ban.',
  },
  api_key_banned: {
    status: 429,
    message: 'The API key is banned temporarily. Retry-After gives the seconds to wait.',
    advice: 'Wait the seconds in Retry-After, then send fewer requests: the next ban is longer.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request headers are too large.',
    advice: 'Send fewer or shorter headers: at most 16 KiB.',
  },
  internal_error: {
    status: 500,
    message: 'An unexpected error occurred in the service.',
    advice: 'Report it, with the X-Request-Id of the response.',
  },
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Retry-After gives the seconds to wait.',
    advice:
      'Wait the seconds in Retry-After, then retry: a POST with the same Idempotency-Key, a change after reading the resource.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The error codes that list this operation explicitly. */
export const codesOf = (operation: string): readonly ErrorCode[] =>
  Object.entries<ErrorRow>(ERROR_CODES).flatMap(([code, { operations = [] }]) =>
    operations.includes(operation) ? [code as ErrorCode] : [],
  );
