import { type ExecutionContext, Injectable } from '@nestjs/common';
import {
  ThrottlerGuard,
  type ThrottlerModuleOptions,
  type ThrottlerOptions,
  type ThrottlerRequest,
} from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../errors/api-error.js';
import { type AdmissionDecision, exceededBy } from './admission/decision.js';
import { type Window, WINDOWS } from './admission/windows.js';

/** The windows of each key, as throttlers. The limits of the key or its plan come from the decision. */
export const PLAN_THROTTLERS: ThrottlerModuleOptions = {
  throttlers: WINDOWS.map((window) => throttlerOf(window)),
  // The throttler adds suffixes to the names and leaves the headers out of a 429. The pipeline sets them on every response.
  setHeaders: false,
};

/**
 * Throws the 429 for a key that exhausted a window or is banned. Admission has counted the request in the database,
 * for all replicas; this guard only reads its decision, so nothing is counted twice. This is the last guard: a rejection that no
 * throttler reports is thrown here, too.
 */
@Injectable()
export class PlanThrottlerGuard extends ThrottlerGuard {
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const { rejection } = decisionOf(context);
    return rejection === undefined ? super.canActivate(context) : this.#reject(context, rejection);
  }

  async #reject(context: ExecutionContext, rejection: ApiError): Promise<never> {
    await super.canActivate(context);
    throw rejection;
  }

  /** Skips all windows before the throttler looks up metadata for each of them. */
  protected override shouldSkip(context: ExecutionContext): Promise<boolean> {
    return decisionOf(context).rejection === undefined ? SKIPPED : NOT_SKIPPED;
  }

  /** Only called for the window that rejects a request: the others are skipped. */
  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    throw decisionOf(context).rejection ?? new Error('the request was not rejected');
  }
}

const SKIPPED = Promise.resolve(true);
const NOT_SKIPPED = Promise.resolve(false);

function throttlerOf({ name, seconds }: Window): ThrottlerOptions {
  return {
    name,
    ttl: seconds * 1000,
    limit: (context) => decisionOf(context).windows.find(({ policy }) => policy === name)?.limit ?? 0,
    // Checked before five metadata lookups of the throttler.
    skipIf: (context) => {
      const exceeded = exceededBy(decisionOf(context));
      // A ban closes all windows; the first throttler reports it.
      return name !== (exceeded === 'ban' ? WINDOWS[0].name : exceeded);
    },
  };
}

function decisionOf(context: ExecutionContext): AdmissionDecision {
  const { decision } = context.switchToHttp().getRequest<FastifyRequest>();
  if (decision === null) throw new Error('a request reached a handler without a decision');
  return decision;
}
