import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isOverLimit } from './admission/decision.js';
import { authenticationError } from './keys/api-key.js';
import { routeConfigOf } from './route-config.js';

/**
 * Requires a valid API key, unless the operation is `@Public()`. Admission has looked the key up; this guard throws its rejection:
 * a request without a valid key (401, 429 for the client address, or 503), a key that is suspended or read-only (403),
 * or a public document over its address limit (429). Exhausted key limits are left to the next guard.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { decision } = request;
    if (decision?.rejection === undefined) {
      if (decision?.caller !== undefined || routeConfigOf(request).public === true) return true;
      throw authenticationError('missing_api_key');
    }
    if (isOverLimit(decision)) return true;
    throw decision.rejection;
  }
}
