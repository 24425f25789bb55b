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
import { Clock } from './clock.js';
import { assertNotRemoved, type Deprecation } from './deprecation.js';
import { RouteSays, routeConfigOf } from './route.decorators.js';

/**
 * Ends a deprecated operation on time. The edge has announced the end on every answer, those that reach no handler (401,
 * 429) among them, and has refused by the same rule; this makes sure that no handler depends on that.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(private readonly clock: Clock) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { deprecation } = routeConfigOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (deprecation !== undefined) assertNotRemoved(deprecation, this.clock.nowMs());
    return next.handle();
  }
}

/** An operation that goes away at an announced instant: all its answers say so, and from then on it answers 410. */
export const Deprecated = (deprecation: Deprecation): MethodDecorator =>
  applyDecorators(RouteSays({ deprecation }), UseInterceptors(DeprecationInterceptor));
