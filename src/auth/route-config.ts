import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the operation in logs, metrics, traces and the OpenAPI document: that of the controller's method. */
    readonly operation?: string;
    /** Needs no key, and counts as a public document. */
    readonly public?: boolean;
    /** What a public document uses up of the limit; 1 where absent. */
    readonly cost?: number;
    /** A probe of a balancer, which comes every few seconds: no limit, log, metric or trace has it. */
    readonly probe?: boolean;
  }
  interface FastifyRequest {
    /** For `routeConfigOf` alone. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** The configuration of a route, set by decorators such as `@Public()`. Cached, because Fastify creates `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);

/** A public document: it needs no key, and has a limit of its own by client address, which its rate-limit headers describe. */
export const Public = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, operation: String(name) })(controller, name, descriptor);

/** What a page consists of: a load of the page, with all of them, counts as some two documents. */
export const PartOfPage = (operation: string): MethodDecorator =>
  RouteConfig({ public: true, operation, cost: 1 / 16 });

/** Public, and counts for nothing. */
export const Probe = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, probe: true, operation: String(name) })(controller, name, descriptor);
