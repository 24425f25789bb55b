import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { authenticationError } from './api-key.js';
import { routeConfigOf } from '../common/route.decorators.js';

/**
 * Requires a valid API key, unless the operation is `@Public()`. Admission has looked the key up; this guard throws its rejection of a
 * request without a valid key (401, 429 of the client address, or 503), of a key that an operator has suspended (403), and of a public
 * document past the limit of its address (429).
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller, rejection } = request.decision ?? {};
    if (routeConfigOf(request).public === true && rejection === undefined) return true;
    // Any other rejection of a valid key is the throttler's.
    if (caller !== undefined && rejection?.code !== 'api_key_suspended') return true;
    throw rejection ?? authenticationError('missing_api_key');
  }
}
