import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Deprecation } from './deprecation/deprecation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered without a key, and not charged. */
    readonly public?: boolean;
    /** The operation goes away at an announced instant. */
    readonly deprecation?: Deprecation;
  }
}

/** What a route says of itself, by decorators such as `@Public()`. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig => request.routeOptions.config;
