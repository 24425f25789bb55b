import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AdmissionDecision, Caller } from './admission/decision.js';
import { authenticationError } from './keys/api-key.js';

/** The key that a request was admitted for, and its windows including this request. */
export interface CallingKey extends Caller {
  readonly windows: AdmissionDecision['windows'];
}

export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext): CallingKey => {
  const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
  if (decision?.caller === undefined) throw authenticationError('missing_api_key');
  return { ...decision.caller, windows: decision.windows };
});
