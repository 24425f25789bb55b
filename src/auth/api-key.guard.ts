import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DirectStep } from '../http/handlers/direct-handlers.js';
import { routeConfigOf } from '../http/route.decorators.js';
import { authenticationError } from './bearer.js';

/**
 * No handler runs without a valid key, unless the operation is public. The edge has decided and rejected before the body was
 * read; this guard makes sure that no handler depends on that.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate, DirectStep {
  beforeHandler(context: ExecutionContext): void {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (routeConfigOf(request).public === true) return;
    if (request.decision?.caller !== undefined) return;
    throw request.decision?.refusal ?? authenticationError('missing_api_key');
  }

  canActivate(context: ExecutionContext): boolean {
    this.beforeHandler(context);
    return true;
  }
}
