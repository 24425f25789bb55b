import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import { type DocumentedOperation, isConditional } from './documented-operation.js';
import type { Json } from './json.js';

const ALL_CODES = Object.keys(ERROR_CODES) as ErrorCode[];

/** The Error of the interface, with the closed set of its codes. */
export const ERROR_SCHEMA: Json = {
  description: 'What every answer is that is no success: exactly these three members.',
  type: 'object',
  properties: {
    code: {
      description: 'What is wrong, for programs. The set is closed.',
      type: 'string',
      enum: ALL_CODES,
      'x-enumDescriptions': Object.fromEntries(
        ALL_CODES.map((code) => [code, `${ERROR_CODES[code].status}: ${ERROR_CODES[code].message}`]),
      ),
    },
    message: { description: 'What is wrong, for people, in one line.', type: 'string' },
    status: { description: 'The HTTP status.', type: 'integer' },
  },
  required: ['code', 'message', 'status'],
  additionalProperties: false,
};

/** The codes that an operation can answer with, by status: what comes before the handler, then the handler's own. */
export function codesOf(operation: DocumentedOperation): ReadonlyMap<number, readonly ErrorCode[]> {
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

/** An error answer: its codes in words, as a schema and as examples. */
export function errorContent(status: number, codes: readonly ErrorCode[]): Json {
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

export const errorDescription = (codes: readonly ErrorCode[]): string =>
  codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`).join('\n');
