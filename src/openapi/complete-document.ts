import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '../common/errors/error-codes.js';
import { ERROR_CODES_EXTENSION } from '../common/openapi.decorators.js';
import { codesByStatus, ERROR_SCHEMA, errorResponse, SHARED_RESPONSES } from './error-responses.js';
import { HEADERS, headersOf } from './headers.js';
import type { Json } from './json.js';
import { headerParametersOf, isConditional, PARAMETERS } from './parameters.js';

/** Every operation's path begins with it; it belongs to the server's address, as the interface says. */
export const BASE_PATH = '/v1';

/** An operation as `@nestjs/swagger` reads it from the decorators of its method. */
interface Operation extends Json {
  readonly operationId: string;
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly in: string }[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
  readonly [ERROR_CODES_EXTENSION]?: readonly ErrorCode[];
}

/**
 * Adds what belongs to all operations: parameters in headers, the headers of responses, 304, and the errors that any operation can
 * respond with.
 *
 * @throws Error for an operation that is not below `/v1` or has no `@ApiOperation()`
 */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const shared: Record<string, Json> = {};
  const paths = Object.entries(document.paths).map(([path, item]) => {
    if (!path.startsWith(`${BASE_PATH}/`)) throw new Error(`${path} is not below ${BASE_PATH}`);
    const operations = Object.entries(item as unknown as Readonly<Record<string, Operation>>);
    return [
      path.slice(BASE_PATH.length),
      Object.fromEntries(operations.map(([method, one]) => [method, completed(method, one, shared)])),
    ];
  });
  const { openapi, info, servers, tags, components } = document;
  const complete = {
    ...{ openapi, info, servers, tags },
    paths: Object.fromEntries(paths),
    components: {
      ...components,
      schemas: sorted({ ...(withPlainReferences(components?.schemas) as Json), Error: ERROR_SCHEMA }),
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: sorted(shared),
    },
  };
  return complete as unknown as OpenAPIObject;
}

function completed(method: string, operation: Operation, shared: Record<string, Json>): Json {
  const { operationId, tags, summary, description, parameters = [], responses, ...rest } = operation;
  if (!summary) throw new Error(`${operationId} has no @ApiOperation() with a summary`);
  const { [ERROR_CODES_EXTENSION]: ownCodes = [], ...described } = rest;
  const traits = {
    isDeprecated: operation.deprecated === true,
    isList: Object.values(responses).some((one) => isListResponse(one)),
  };
  const success = Object.entries(responses).map(([status, response]) => {
    const { description: meaning, ...body } = response;
    return [status, { description: meaning, headers: headersOf(Number(status), traits), ...body }];
  });
  const notModified = {
    description: 'Your copy, identified by its `ETag`, is up to date.',
    headers: headersOf(304, traits),
  };
  const errors = [...codesByStatus([...generalCodes(method, operation), ...ownCodes])].map(
    ([status, codes]) => {
      const response = errorResponse(status, codes, headersOf(status, traits));
      const name = SHARED_RESPONSES.get(status);
      // Those of a deprecated operation have more headers.
      if (name === undefined || traits.isDeprecated) return [status, response];
      shared[name] = response;
      return [status, { $ref: `#/components/responses/${name}` }];
    },
  );
  return {
    ...{ operationId, tags, summary, description, ...described },
    parameters: [...parameters, ...headerParametersOf(method)],
    responses: {
      ...Object.fromEntries(success),
      ...(method === 'get' && { 304: notModified }),
      ...Object.fromEntries(errors),
    },
  };
}

/** The codes before the handler, and those of what an operation takes. */
function generalCodes(
  method: string,
  { parameters = [], requestBody, deprecated }: Operation,
): readonly ErrorCode[] {
  return [
    ...(['missing_api_key', 'invalid_api_key', 'expired_api_key', 'revoked_api_key'] as const),
    ...(['rate_limit_exceeded', 'api_key_banned', 'service_unavailable', 'internal_error'] as const),
    ...(['malformed_request', 'request_timeout', 'uri_too_long'] as const),
    ...(['headers_too_large', 'expectation_failed'] as const),
    ...(parameters.some((one) => one.in === 'query') ? (['invalid_parameter'] as const) : []),
    ...(requestBody === undefined
      ? []
      : (['malformed_json', 'invalid_body', 'body_too_large', 'unsupported_media_type'] as const)),
    ...(method === 'post'
      ? (['invalid_idempotency_key', 'request_in_progress', 'idempotency_key_reused'] as const)
      : []),
    ...(isConditional(method) ? (['precondition_failed'] as const) : []),
    ...(deprecated === true ? (['operation_removed'] as const) : []),
  ];
}

const isListResponse = ({ content }: Json): boolean => {
  const media = (content as Readonly<Record<string, { schema: Json }>>)['application/json'];
  return media?.schema['type'] === 'array';
};

/** `@nestjs/swagger` writes the reference to a named enum as an `allOf` of one, at which linters stumble. */
function withPlainReferences(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => withPlainReferences(one));
  const { allOf, ...rest } = schema as { readonly allOf?: readonly Json[] };
  const plain = allOf?.length === 1 ? { ...allOf[0], ...rest } : schema;
  return Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, withPlainReferences(value)]));
}

const sorted = (components: Json): Json =>
  Object.fromEntries(Object.entries(components).sort(([one], [other]) => (one < other ? -1 : 1)));
