import type { OpenAPIObject } from '@nestjs/swagger';
import { codesOf, type ErrorCode } from '../errors/error-codes.js';
import { PATCH_TYPES } from '../http/bodies.js';
import {
  codesByStatus,
  ERROR_SCHEMA,
  errorResponse,
  PROBLEM_SCHEMA,
  SHARED_RESPONSES,
} from './error-responses.js';
import { HEADERS, headersOf } from './headers.js';
import { type Json, type OpenApi, type Operation, toJson } from './json.js';
import { headerParametersOf, isConditional, PARAMETERS } from './parameters.js';

/** Every operation's path begins with it; it belongs to the server's address, as the interface says. */
export const BASE_PATH = '/v1';

interface DecoratedOperation extends Operation {
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly requestBody?: Json;
}

/**
 * Adds what belongs to all operations: parameters in headers, the headers of responses, 304, and the errors that any operation can
 * respond with.
 *
 * @throws Error for an operation that is not below `/v1` or has no `@Operation()`
 */
export function completeDocument(document: OpenAPIObject): OpenApi {
  const { openapi, info, servers, tags, components } = document;
  const shared: Record<string, Json> = {};
  const paths = Object.entries(document.paths).map(([path, item]): [string, Record<string, Operation>] => {
    if (!path.startsWith(`${BASE_PATH}/`)) throw new Error(`${path} is not below ${BASE_PATH}`);
    const operations: [method: string, operation: DecoratedOperation][] = Object.entries(item);
    const complete = operations.map(([method, one]) => [method, completeOperation(method, one, shared)]);
    return [path.slice(BASE_PATH.length), Object.fromEntries(complete)];
  });
  const schemas = {
    ...withMinimalBodies(withPlainReferences(components?.schemas) as Record<string, Json>, document),
    Error: ERROR_SCHEMA,
    Problem: PROBLEM_SCHEMA,
  };
  return {
    ...{ openapi, info, servers, tags, paths: Object.fromEntries(paths) },
    components: {
      ...components,
      ...{ schemas: sorted(schemas), parameters: PARAMETERS, headers: HEADERS, responses: sorted(shared) },
    },
  };
}

function completeOperation(
  method: string,
  operation: DecoratedOperation,
  shared: Record<string, Json>,
): Operation {
  const { parameters = [], responses, ...described } = operation;
  if (!operation.summary) throw new Error(`${operation.operationId} has no @Operation()`);
  const traits = {
    method,
    isDeprecated: operation.deprecated === true,
    isList: Object.values(responses).some((one) => isListResponse(one)),
  };
  const complete: Record<string, Json> = {};
  for (const [status, { description, ...body }] of Object.entries(responses)) {
    complete[status] = { description, headers: headersOf(Number(status), traits), ...body };
  }
  if (method === 'get') {
    const description = 'Your copy, identified by its `ETag`, is up to date.';
    complete[304] = { description, headers: headersOf(304, traits) };
  }
  for (const [status, codes] of codesByStatus([
    ...generalCodes(method, operation),
    ...codesOf(operation.operationId),
  ])) {
    const response = errorResponse(status, codes, headersOf(status, traits));
    // Responses of deprecated operations have more.
    const shareable = codes.includes('read_only_api_key') ? 'ForbiddenChange' : SHARED_RESPONSES.get(status);
    const name = traits.isDeprecated ? undefined : shareable;
    if (name !== undefined) shared[name] = response;
    complete[status] = name === undefined ? response : { $ref: `#/components/responses/${name}` };
  }
  return {
    ...described,
    ...(method === 'patch' && { requestBody: asPatch(operation.requestBody) }),
    parameters: [...parameters, ...headerParametersOf(method)],
    responses: complete,
  };
}

/** A body, under each PATCH media type. */
function asPatch(body: Json = {}): Json {
  const media = (body['content'] as Readonly<Record<string, Json>>)['application/json'];
  return { ...body, content: Object.fromEntries(PATCH_TYPES.map((type) => [type, media])) };
}

/** The codes raised before the handler, and those for invalid inputs. */
const generalCodes = (method: string, operation: DecoratedOperation): readonly ErrorCode[] => [
  ...(['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'] as const),
  ...([
    'api_key_suspended',
    ...(method === 'get' ? [] : (['read_only_api_key'] as const)),
    'rate_limit_exceeded',
    'api_key_banned',
    'service_unavailable',
    'internal_error',
  ] as const),
  ...(['malformed_request', 'invalid_parameter', 'request_timeout', 'uri_too_long'] as const),
  ...(['headers_too_large', 'expectation_failed'] as const),
  ...(operation.requestBody === undefined
    ? []
    : (['malformed_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'] as const)),
  ...(method === 'post'
    ? (['invalid_idempotency_key', 'request_in_progress', 'idempotency_key_reused'] as const)
    : []),
  ...(isConditional(method) ? (['precondition_failed'] as const) : []),
  ...(operation.deprecated === true ? (['operation_removed'] as const) : []),
];

/** `InputPipe` rejects a body without any known member, which matters if none is required. */
function withMinimalBodies(
  schemas: Readonly<Record<string, Json>>,
  { paths }: OpenAPIObject,
): Record<string, Json> {
  const references = toJson(
    Object.values(paths).flatMap((item) =>
      Object.values(item as Record<string, DecoratedOperation>).map((one) => one.requestBody),
    ),
  );
  const isBody = (name: string): boolean => references.includes(`"#/components/schemas/${name}"`);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isBody(name) && schema['required'] === undefined ? { ...schema, minProperties: 1 } : schema,
    ]),
  );
}

const isListResponse = ({ content }: Json): boolean => {
  const media = (content as Readonly<Record<string, { schema: Json }>> | undefined)?.['application/json'];
  return media?.schema['type'] === 'array';
};

/** `@nestjs/swagger` writes the reference to a named enum as an `allOf` of one, which linters reject. */
function withPlainReferences(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => withPlainReferences(one));
  const { allOf, ...rest } = schema as { readonly allOf?: readonly Json[] };
  const plain = allOf?.length === 1 ? { ...allOf[0], ...rest } : schema;
  return Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, withPlainReferences(value)]));
}

const sorted = <Component>(components: Readonly<Record<string, Component>>): Record<string, Component> =>
  Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1)));
