import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Deprecation } from './deprecation/deprecation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without a key, and not charged. */
    readonly public?: boolean;
    /** The operation goes away at an announced instant. */
    readonly deprecation?: Deprecation;
  }
  interface FastifyRequest {
    /** For `routeConfigOf` alone. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** What a route says of itself, by decorators such as `@Public()`. Kept, as Fastify makes `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);
