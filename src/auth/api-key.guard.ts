import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { authenticationError } from './api-key.js';
import { routeConfigOf } from '../common/route.decorators.js';

/**
 * Requires a valid API key, unless the operation is `@Public()` and its address has not used up the limit of public documents. Admission has looked the key up; this guard throws its rejection
 * of a request without a valid key (401, 429 of the client address, or 503), and of a key that an operator has suspended (403).
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
