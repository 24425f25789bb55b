import { RequestMethod, type Type } from '@nestjs/common';
import {
  METHOD_METADATA,
  PARAMTYPES_METADATA,
  PATH_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  FASTIFY_ROUTE_CONFIG_METADATA,
  FASTIFY_ROUTE_SCHEMA_METADATA,
} from '@nestjs/platform-fastify/constants.js';
import type { FastifyContextConfig } from 'fastify';
import type { Deprecation } from '../http/deprecation/deprecation.js';
import { OPERATION_METADATA, type OperationNotes } from '../http/operation.decorator.js';
import type { Json } from './json.js';

/** An operation as its controller's decorators declare it. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** As OpenAPI writes it, such as `/v1/pets/{petId}`. */
  readonly path: string;
  readonly notes: OperationNotes;
  readonly deprecation?: Deprecation | undefined;
  readonly pathParameters: readonly string[];
  /** The DTOs that the input pipe makes. */
  readonly query?: Type | undefined;
  readonly body?: Type | undefined;
  /** The status of a success, and the schema that writes its body. */
  readonly success: { readonly status: number; readonly schema: Json };
}

/** Whether `If-Match` is evaluated: on reads and on writes of one record, but not where a record is added to a collection. */
export const isConditional = (method: DocumentedOperation['method']): boolean => method !== 'post';

/** The operations of a controller: every route that needs a key. */
export function operationsOf(controller: Type): readonly DocumentedOperation[] {
  return Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
    const handler: unknown = Reflect.get(controller.prototype as object, name);
    return typeof handler === 'function' && name !== 'constructor'
      ? (operationOf(controller, name, handler) ?? [])
      : [];
  });
}

function operationOf(controller: Type, id: string, handler: object): DocumentedOperation | undefined {
  const read = (key: string): unknown => Reflect.getMetadata(key, handler);
  const requestMethod = read(METHOD_METADATA) as RequestMethod | undefined;
  const { deprecation, public: isPublic } = (read(FASTIFY_ROUTE_CONFIG_METADATA) ??
    {}) as FastifyContextConfig;
  if (requestMethod === undefined || isPublic === true) return undefined;
  const notes = read(OPERATION_METADATA) as OperationNotes | undefined;
  if (notes === undefined) throw new Error(`${controller.name}.${id} has no @Operation and is not @Public`);
  const schemas = read(FASTIFY_ROUTE_SCHEMA_METADATA) as { response: Record<string, Json> } | undefined;
  const [success] = Object.entries(schemas?.response ?? {});
  if (success === undefined) throw new Error(`${id} has no schema of its answer`);
  return {
    id,
    method: RequestMethod[requestMethod].toLowerCase() as DocumentedOperation['method'],
    path: pathOf(Reflect.getMetadata(PATH_METADATA, controller), read(PATH_METADATA)),
    notes,
    deprecation,
    success: { status: Number(success[0]), schema: success[1] },
    ...inputsOf(controller, id),
  };
}

const pathOf = (...parts: readonly unknown[]): string =>
  `/${parts
    .flatMap((part) => String(part).split('/'))
    .filter(Boolean)
    .join('/')}`.replaceAll(/:(\w+)/g, '{$1}');

/** What the handler's arguments take from a request. */
function inputsOf(
  controller: Type,
  name: string,
): Pick<DocumentedOperation, 'pathParameters' | 'query' | 'body'> {
  const types = Reflect.getMetadata(PARAMTYPES_METADATA, controller.prototype as object, name) as Type[];
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Readonly<
    Record<string, { readonly index: number; readonly data?: unknown }>
  >;
  const of = (kind: RouteParamtypes): readonly { readonly index: number; readonly data?: unknown }[] =>
    Object.entries(args)
      .filter(([key]) => key.startsWith(`${kind}:`))
      .map(([, argument]) => argument)
      .sort((one, other) => one.index - other.index);
  const typeOf = (kind: RouteParamtypes): Type | undefined => types[of(kind)[0]?.index ?? -1];
  return {
    pathParameters: of(RouteParamtypes.PARAM).map(({ data }) => String(data)),
    query: typeOf(RouteParamtypes.QUERY),
    body: typeOf(RouteParamtypes.BODY),
  };
}
