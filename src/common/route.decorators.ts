import { Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the controller's method, as in logs, metrics, traces and the OpenAPI document. */
    readonly operation?: string;
    /** Needs no key, and counts as a public document. */
    readonly public?: boolean;
    /** The names of the query parameters in the OpenAPI document. */
    readonly queryParameters?: ReadonlySet<string>;
  }
  interface FastifyRequest {
    /** For `routeConfigOf` alone. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** The configuration of a route, set by decorators such as `@Public()`. Cached, because Fastify creates `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);

/** The handler returns JSON as text, which PostgreSQL has written: it is sent as it is. */
export const JsonText = (): MethodDecorator => Header('content-type', 'application/json; charset=utf-8');

/** A public document: it needs no key, and has a limit of its own by client address, which its rate-limit headers describe. */
export const Public = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, operation: String(name) })(controller, name, descriptor);
