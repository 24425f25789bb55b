import type { FastifyInstance, RouteOptions } from 'fastify';
import { BASE_PATH } from './complete-document.js';
import type { Json, OpenApi, Operation } from './json.js';

/**
 * Has the routes follow the document. Fastify writes successful responses by their schema: `bigint` to the digit, a `Date` as
 * RFC 3339. The configuration of a route names its operation and query parameters. Must be called before the routes are registered.
 *
 * @throws Error at the registration of a route that is neither in the document nor `@Public()`
 */
export function followDocument(document: OpenApi, fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const operation = operationOf(document, route);
    if (operation === undefined) {
      if (route.config?.public === true) return;
      throw new Error(`${String(route.method)} ${route.url} is neither in the OpenAPI document nor @Public`);
    }
    const response: Record<string, unknown> = {};
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const media = (content as Readonly<Record<string, Json>> | undefined)?.['application/json'];
      if (status.startsWith('2') && media) response[status] = resolved(media['schema'], document);
    }
    route.config = {
      ...route.config,
      operation: operation.operationId,
      queryParameters: new Set(
        operation.parameters?.filter((one) => one['in'] === 'query').map((one) => String(one['name'])),
      ),
    };
    route.schema = { ...route.schema, response };
  });
}

/** The operation of a route. Fastify adds the routes for HEAD, which the document describes in prose. */
function operationOf({ paths }: OpenApi, { method, url }: RouteOptions): Operation | undefined {
  if (!url.startsWith(BASE_PATH)) return undefined;
  const path = url.slice(BASE_PATH.length).replaceAll(/:(\w+)/g, '{$1}');
  return paths[path]?.[method === 'HEAD' ? 'get' : String(method).toLowerCase()];
}

/** The schema with its references replaced by what they refer to. */
function resolved(schema: unknown, document: OpenApi): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, document));
  const { $ref, ...rest } = schema as { readonly $ref?: string };
  const name = $ref?.split('/').at(-1);
  const plain = name === undefined ? schema : { ...document.components.schemas[name], ...rest };
  return Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, resolved(value, document)]));
}
