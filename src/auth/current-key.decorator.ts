import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller, LimitWindow } from './admission/decision.js';
import { authenticationError } from './keys/api-key.js';

/** The key that a request was admitted for, and both its windows, this request counted. */
export interface CallingKey extends Caller {
  readonly minute: LimitWindow;
  readonly day: LimitWindow;
}

export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext): CallingKey => {
  const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
  const [minute, day] = decision?.windows ?? [];
  if (decision?.caller === undefined || minute === undefined || day === undefined) {
    throw authenticationError('missing_api_key');
  }
  return { ...decision.caller, minute, day };
});
