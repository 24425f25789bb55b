import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the operation in logs, metrics, traces and the OpenAPI document: the controller method's name. */
    readonly operation?: string;
    /** Needs no key, and counts as a public document. */
    readonly public?: boolean;
    /** What a public document counts against the limit; default 1. */
    readonly cost?: number;
    /** A load balancer probe, sent every few seconds: exempt from limits, logs, metrics and traces. */
    readonly probe?: boolean;
  }
  interface FastifyRequest {
    /** Only for `routeConfigOf`. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** The configuration of a route, set by decorators such as `@Public()`. Cached, because Fastify creates `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);

/** A public document: it needs no key and has a separate limit per client address, shown in its rate-limit headers. */
export const Public = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, operation: String(name) })(controller, name, descriptor);

/** An asset of a page: loading the page with all its assets counts as about two documents. */
export const PartOfPage = (operation: string): MethodDecorator =>
  RouteConfig({ public: true, operation, cost: 1 / 16 });

/** Public, and exempt from limits. */
export const Probe = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, probe: true, operation: String(name) })(controller, name, descriptor);
