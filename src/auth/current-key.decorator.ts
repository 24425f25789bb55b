import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../http/decision.js';
import { authenticationError } from './authentication-errors.js';

/** The key that the request was admitted for. */
export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
  if (decision?.caller === undefined) throw authenticationError('missing_api_key');
  return decision.caller;
});
