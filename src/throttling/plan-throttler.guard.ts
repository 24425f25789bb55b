import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerModuleOptions, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { Decision, KeyWindow } from '../common/decision.js';

/** The windows of each key, as throttlers. Their limits are those of the key or its plan, which the decision contains. */
export const PLAN_THROTTLERS: ThrottlerModuleOptions = {
  throttlers: [
    { name: 'minute', ttl: 60_000, limit: (context) => limitOf(context, 'minute') },
    { name: 'day', ttl: 86_400_000, limit: (context) => limitOf(context, 'day') },
  ],
  // The throttler adds suffixes to the names and leaves the headers out of a 429. The pipeline sets them on every response.
  setHeaders: false,
};

/**
 * Throws the 429 of a key whose minute or day is used up, or that is banned. Admission has counted the request in the database,
 * for all replicas; this guard only reads its decision, so nothing is counted twice.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  protected override async handleRequest({ context, throttler }: ThrottlerRequest): Promise<boolean> {
    const { rejectedBy } = decisionOf(context);
    // A ban closes both windows; the first throttler reports it.
    const window = rejectedBy === 'ban' ? 'minute' : rejectedBy;
    if (window === throttler.name) await this.throwThrottlingException(context);
    return true;
  }

  protected override async throwThrottlingException(context: ExecutionContext): Promise<void> {
    throw decisionOf(context).rejection ?? new Error('the request was not rejected');
  }
}

function limitOf(context: ExecutionContext, name: KeyWindow): number {
  const window = decisionOf(context).windows.find(({ policy }) => policy === name);
  if (window === undefined) throw new Error(`the decision has no window ${name}: is @SkipThrottle missing?`);
  return window.limit;
}

function decisionOf(context: ExecutionContext): Decision {
  const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
  if (decision === null) throw new Error('a request reached a handler without a decision');
  return decision;
}
