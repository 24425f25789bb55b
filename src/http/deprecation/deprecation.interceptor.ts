import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Clock } from '../clock.js';
import { assertNotRemoved } from './deprecation.js';
import { routeConfigOf } from '../route-config.js';

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
