import type { RouteOptions } from 'fastify';
import type { Deprecation } from '../common/deprecation.interceptor.js';
import type { OperationNotes } from '../common/route.decorators.js';
import type { Json } from './schemas.js';

/** An operation as its route declares it. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it, such as `/v1/pets/{petId}`. */
  readonly path: string;
  readonly notes: OperationNotes;
  readonly deprecation?: Deprecation | undefined;
  readonly pathParameters: readonly string[];
  /** The status of a success, and the schema that writes its body. */
  readonly success: { readonly status: number; readonly schema: Json };
}

/** Whether `If-Match` is evaluated: on reads and on writes of one record, but not where a record is added to a collection. */
export const isConditional = (method: DocumentedOperation['method']): boolean => method !== 'post';

/** The operations among these routes: every one that needs a key. Fastify's own for HEAD are described with those for GET. */
export const operationsOf = (routes: readonly RouteOptions[]): readonly DocumentedOperation[] =>
  routes
    .filter(({ method, config }) => method !== 'HEAD' && config?.public !== true)
    .map((route) => operationOf(route));

function operationOf({ method, url, config = {}, schema }: RouteOptions): DocumentedOperation {
  const { operation, notes, deprecation } = config;
  if (operation === undefined || notes === undefined) {
    throw new Error(`${String(method)} ${url} has no @Operation and is not @Public`);
  }
  const { response = {} } = (schema ?? {}) as { readonly response?: Readonly<Record<string, Json>> };
  const [success] = Object.entries(response);
  if (success === undefined) throw new Error(`${operation} has no response schema`);
  return {
    id: operation,
    method: String(method).toLowerCase() as DocumentedOperation['method'],
    path: url.replaceAll(PATH_PARAMETER, '{$1}'),
    notes,
    deprecation,
    pathParameters: Array.from(url.matchAll(PATH_PARAMETER), ([, name = '']) => name),
    success: { status: Number(success[0]), schema: success[1] },
  };
}

const PATH_PARAMETER = /:(\w+)/g;
