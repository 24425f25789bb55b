import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { LimitWindow } from '../http/decision.js';
import { authenticationError } from './authentication-errors.js';

export interface KeyWindows {
  readonly minute: LimitWindow;
  readonly day: LimitWindow;
}

/** Both windows of the key that the request was admitted for, this request counted. */
export const CurrentWindows = createParamDecorator(
  (_data: unknown, context: ExecutionContext): KeyWindows => {
    const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
    const [minute, day] = decision?.windows ?? [];
    if (decision?.caller === undefined || minute === undefined || day === undefined) {
      throw authenticationError('missing_api_key');
    }
    return { minute, day };
  },
);
