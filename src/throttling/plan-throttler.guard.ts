import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { DirectStep } from '../http/handlers/direct-handlers.js';

/**
 * The throttler of the application, by plan instead of by route and in the database instead of in memory: it enforces
 * the one decision that admission made about the request, and asks for none of its own, so that nothing counts twice.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard implements DirectStep {
  beforeHandler(context: ExecutionContext): void {
    const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
    if (decision === null) throw new Error('a request reached a handler without a decision');
    if (decision.refusal !== undefined) throw decision.refusal;
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    this.beforeHandler(context);
    return true;
  }
}
