import { ERROR_CODES, type ErrorCode } from '../common/errors/error-codes.js';
import { type DocumentedOperation, isConditional } from './documented-operation.js';
import { headersOf } from './headers.js';
import type { Json, NamedSchemas } from './schemas.js';

const ALL_CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** The Error of the interface, with the closed set of its codes. */
export const ERROR_SCHEMA: Json = {
  description: 'The body of every error response. It has exactly these three members.',
  type: 'object',
  properties: {
    code: {
      description: 'The machine-readable error code, from a closed set.',
      type: 'string',
      enum: ALL_CODES,
      'x-enumDescriptions': Object.fromEntries(
        ALL_CODES.map((code) => [code, `${ERROR_CODES[code].status}: ${ERROR_CODES[code].message}`]),
      ),
    },
    message: { description: 'A human-readable description, in one line.', type: 'string' },
    status: { description: 'The HTTP status code.', type: 'integer' },
  },
  required: ['code', 'message', 'status'],
  additionalProperties: false,
};

/** The error codes of an operation by status: those before the handler, then the handler's own. */
function codesOf(operation: DocumentedOperation): ReadonlyMap<number, readonly ErrorCode[]> {
  const possible = new Set<ErrorCode>([...generalCodes(operation), ...(operation.notes.codes ?? [])]);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of ALL_CODES.filter((one) => possible.has(one))) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function generalCodes({ method, notes, deprecation }: DocumentedOperation): readonly ErrorCode[] {
  return [
    ...(['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'] as const),
    ...(['rate_limit_exceeded', 'api_key_banned', 'service_unavailable', 'internal_error'] as const),
    ...(['malformed_request', 'request_timeout', 'uri_too_long'] as const),
    ...(['headers_too_large', 'expectation_failed'] as const),
    ...(notes.query === undefined ? [] : (['invalid_parameter'] as const)),
    ...(notes.body === undefined
      ? []
      : (['malformed_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'] as const)),
    ...(method === 'post'
      ? (['invalid_idempotency_key', 'request_in_progress', 'idempotency_key_reused'] as const)
      : []),
    ...(isConditional(method) ? (['precondition_failed'] as const) : []),
    ...(deprecation === undefined ? [] : (['operation_removed'] as const)),
  ];
}

/** The schema of an error response, and an example of each code. */
function errorContent(status: number, codes: readonly ErrorCode[]): Json {
  return {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Error' },
          {
            type: 'object',
            properties: { code: { enum: codes }, status: { const: status } },
            required: ['code', 'status'],
          },
        ],
      },
      examples: Object.fromEntries(
        codes.map((code) => [code, { value: { code, message: ERROR_CODES[code].message, status } }]),
      ),
    },
  };
}

const errorDescription = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`).join('\n');

/** Components of error responses that are the same for all operations, by status. */
const SHARED_NAMES: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [408, 'RequestTimeout'],
  [412, 'PreconditionFailed'],
  [413, 'BodyTooLarge'],
  [414, 'UriTooLong'],
  [415, 'UnsupportedMediaType'],
  [417, 'ExpectationFailed'],
  [422, 'IdempotencyKeyReused'],
  [429, 'TooManyRequests'],
  [431, 'HeadersTooLarge'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
]);

/** The responses of operations, by status. */
export class Responses {
  readonly #shared = new Map<string, Json>();

  constructor(private readonly schemas: NamedSchemas) {}

  of(operation: DocumentedOperation): Json {
    const { method, notes, success } = operation;
    const errors = [...codesOf(operation)].map(([status, codes]): [number, Json] => [
      status,
      this.#share(operation, status, {
        description: errorDescription(codes),
        headers: headersOf(operation, status),
        content: errorContent(status, codes),
      }),
    ]);
    return {
      [success.status]: {
        description: notes.success,
        headers: headersOf(operation, success.status),
        content: {
          'application/json': { schema: this.schemas.use(success.schema), example: notes.example },
        },
      },
      ...(method === 'get' && {
        304: {
          description: 'Your copy, identified by its `ETag`, is up to date.',
          headers: headersOf(operation, 304),
        },
      }),
      ...Object.fromEntries(errors),
    };
  }

  /** The shared responses, by component. */
  get shared(): Json {
    return Object.fromEntries([...this.#shared].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** Not shared: responses of a deprecated operation, which have more headers. */
  #share({ deprecation }: DocumentedOperation, status: number, response: Json): Json {
    const name = SHARED_NAMES.get(status);
    if (name === undefined || deprecation !== undefined) return response;
    this.#shared.set(name, response);
    return { $ref: `#/components/responses/${name}` };
  }
}
