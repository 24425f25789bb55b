import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError } from '../errors/api-error.js';
import { Clock } from './clock.js';
import type { PublicUrl } from './public-url.js';
import { RouteSays, routeConfigOf } from './route.decorators.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation is removed at an announced instant. */
    readonly deprecation?: Deprecation;
  }
}

/** An operation that will be removed. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly removedAt: Date;
  /** Path of the operation that replaces it. */
  readonly successor: string;
  /** Path of the page that explains it. */
  readonly documentation: string;
}

/**
 * Ends a deprecated operation on time. The request pipeline announces the end on every response and has already rejected by the
 * same rule; this guarantees that no handler depends on that.
 */
@Injectable()
class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly clock: Clock) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { deprecation } = routeConfigOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (deprecation !== undefined) assertNotRemoved(deprecation, this.clock.nowMs());
    return next.handle();
  }
}

/** An operation that is removed at an announced instant: all its responses say so, and from then on it responds 410. */
export const Deprecated = (deprecation: Deprecation): MethodDecorator =>
  applyDecorators(RouteSays({ deprecation }), UseInterceptors(DeprecationInterceptor));

/** The headers of RFC 9745 (`Deprecation`) and RFC 8594 (`Sunset`) with their links, as lines. */
export function deprecationLines(deprecation: Deprecation, publicUrl: PublicUrl): string {
  const { deprecatedAt, removedAt, successor, documentation } = deprecation;
  const links = [
    `<${publicUrl.to(documentation)}>; rel="deprecation"`,
    `<${publicUrl.to(documentation)}>; rel="sunset"`,
    `<${publicUrl.to(successor)}>; rel="successor-version"`,
  ];
  return (
    `deprecation: @${deprecatedAt.getTime() / 1000}\r\n` +
    `sunset: ${removedAt.toUTCString()}\r\n` +
    `link: ${links.join(', ')}\r\n`
  );
}

/** @throws ApiError operation_removed from the removal instant on */
export function assertNotRemoved(deprecation: Deprecation, nowMs: number): void {
  if (nowMs < deprecation.removedAt.getTime()) return;
  throw new ApiError(
    'operation_removed',
    `This operation was removed on ${deprecation.removedAt.toISOString().slice(0, 10)}. Use ${deprecation.successor} instead.`,
  );
}
