import { ERROR_CODES, type ErrorCode } from '../errors/error-codes.js';
import type { Json } from './json.js';

const ALL_CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const CODE = {
  description: 'The machine-readable error code, from a closed set.',
  type: 'string',
  enum: ALL_CODES,
} as const;
const STATUS = { description: 'The HTTP status code.', type: 'integer' } as const;

/** The Error of the interface, with the closed set of its codes. */
export const ERROR_SCHEMA: Json = {
  description:
    'The body of an error, unless the client prefers problem details. It has exactly these three members.',
  type: 'object',
  properties: {
    code: {
      ...CODE,
      'x-enumDescriptions': Object.fromEntries(
        ALL_CODES.map((code) => {
          const { status, message, advice } = ERROR_CODES[code];
          return [code, `${status}: ${message} ${advice}`];
        }),
      ),
    },
    message: { description: 'A human-readable description, in one line.', type: 'string' },
    status: STATUS,
  },
  required: ['code', 'message', 'status'],
  additionalProperties: false,
};

/**
 * The same for clients that prefer it (RFC 9457). No response refers to it: with a second media type, generators make every error a union
 * without usable members.
 */
export const PROBLEM_SCHEMA: Json = {
  description:
    'Problem details (RFC 9457): the body of an error if `Accept` gives `application/problem+json` a higher quality than ' +
    '`application/json`, or does not name the latter.',
  type: 'object',
  properties: {
    type: { description: 'The documentation of the code.', type: 'string', format: 'uri-reference' },
    title: { description: 'What the code means.', type: 'string' },
    status: STATUS,
    detail: { description: 'The `message` of an Error.', type: 'string' },
    code: CODE,
    errors: {
      description:
        'What is wrong with each member of the body, by its JSON pointer, or with each query parameter.',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', examples: ['#/name'] },
          parameter: { type: 'string', examples: ['limit'] },
          detail: { type: 'string' },
        },
        required: ['detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};

/** Components of error responses that are the same for all operations, by status. */
export const SHARED_RESPONSES: ReadonlyMap<number, string> = new Map([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
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

/** These codes by status, in the order of the table of codes. */
export function codesByStatus(codes: readonly ErrorCode[]): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of ALL_CODES.filter((one) => codes.includes(one))) {
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/** The response for these codes, which all have this status. */
export const errorResponse = (status: number, codes: readonly ErrorCode[], headers: Json): Json => ({
  description: codes.map((code) => `- \`${code}\`: ${ERROR_CODES[code].message}`).join('\n'),
  headers,
  content: {
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
  },
});
