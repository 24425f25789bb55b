import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { Clock } from './clock.js';
import { assertNotRemoved, deprecationHeaders } from './deprecation.js';
import { PublicUrl } from './public-url.js';
import { routeConfigOf } from './route-config.js';

/**
 * Announces a deprecation on what the handler answers, and ends the operation on time. The edge does both for the
 * answers that never reach a handler (401, 429); this makes sure that no handler depends on that.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { deprecation } = routeConfigOf(http.getRequest<FastifyRequest>());
    if (deprecation !== undefined) {
      http.getResponse<FastifyReply>().headers(deprecationHeaders(deprecation, this.publicUrl));
      assertNotRemoved(deprecation, this.clock.nowMs());
    }
    return next.handle();
  }
}
