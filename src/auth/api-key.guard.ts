import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../errors/error-codes.js';
import { authenticationError } from './keys/api-key.js';
import { routeConfigOf } from './route-config.js';

/** Rejections of valid keys that are not the throttler's. */
const FORBIDDEN: ReadonlySet<ErrorCode | undefined> = new Set([
  'api_key_suspended',
  'read_only_api_key',
] as const);

/**
 * Requires a valid API key, unless the operation is `@Public()`. Admission has looked the key up; this guard throws its rejection of a
 * request without a valid key (401, 429 of the client address, or 503), of a key that an operator has suspended or that may only read
 * (403), and of a public document past the limit of its address (429).
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { caller, rejection } = request.decision ?? {};
    if (routeConfigOf(request).public === true && rejection === undefined) return true;
    if (caller !== undefined && !FORBIDDEN.has(rejection?.code)) return true;
    throw rejection ?? authenticationError('missing_api_key');
  }
}
