import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isUnavailable } from '../database/database-errors.js';
import { within } from '../database/within.js';
import { ApiError } from '../errors/api-error.js';
import { asJson } from '../http/common-headers.js';
import type { Claim, ClaimOutcome, Creation } from './claim.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Sends a stored answer as it is. */
export function asAnswered(reply: FastifyReply, answer: string, replayed: boolean): string {
  if (replayed) reply.header('idempotency-replayed', 'true');
  return asJson(reply, answer);
}

/** What a claim led to: a creation, and whether it was an earlier one. */
export interface OnceResult extends Creation {
  readonly replayed: boolean;
}

/** What a request under way leads to, for those that wait for it. */
interface UnderWay {
  readonly claim: Claim;
  readonly result: Promise<OnceResult>;
}

/**
 * Makes a creation happen at most once per claim. The database decides over all replicas; equal claims of one replica are
 * joined before, so that parallel repeats get the first one's answer and no statement holds a claim twice.
 */
@Injectable()
export class Idempotency {
  readonly #underWay = new Map<string, UnderWay>();

  constructor(private readonly stored: IdempotencyRepository) {}

  /**
   * A request waits for its own statements and for those of equal requests before it. What it began goes on without it.
   *
   * @param deadline the moment of `performance.now()` until which it waits
   * @param create runs the statement that creates and stores the answer; what it throws is thrown, and nothing is stored
   * @throws ApiError idempotency_key_reused | request_in_progress
   */
  once(claim: Claim, deadline: number, create: (claim: Claim) => Promise<ClaimOutcome>): Promise<OnceResult> {
    return within(deadline - performance.now(), this.#once(claim, deadline, create));
  }

  async #once(
    claim: Claim,
    deadline: number,
    create: (claim: Claim) => Promise<ClaimOutcome>,
  ): Promise<OnceResult> {
    const name = `${claim.apiKeyId} ${claim.key}`;
    for (;;) {
      const first = this.#underWay.get(name);
      if (first === undefined) return await this.#lead(name, claim, deadline, create);
      // A first request that was refused has stored nothing: the next one in line has its place. Where nobody could answer
      // the first one, all are told so at once: one after another they would wait for as many time-outs as they are.
      const result = await first.result.catch(unlessUnavailable);
      if (result !== undefined) return replay(result, first.claim.fingerprint, claim);
    }
  }

  async #lead(
    name: string,
    claim: Claim,
    deadline: number,
    create: (claim: Claim) => Promise<ClaimOutcome>,
  ): Promise<OnceResult> {
    const result = this.#decide(claim, deadline, create);
    this.#underWay.set(name, { claim, result });
    try {
      return await result;
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #decide(
    claim: Claim,
    deadline: number,
    create: (claim: Claim) => Promise<ClaimOutcome>,
  ): Promise<OnceResult> {
    const outcome = await create(claim);
    if (outcome.state === 'created') return { id: outcome.id, answer: outcome.answer, replayed: false };
    if (outcome.state !== 'busy') {
      const stored = await this.stored.find(claim, deadline);
      if (stored !== undefined) return replay(stored, stored.fingerprint, claim);
      if (outcome.state === 'refused') throw new ApiError(outcome.code);
      // It expired between the two statements.
    }
    throw new ApiError('request_in_progress', undefined, { headers: { 'retry-after': '1' } });
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (isUnavailable(error)) throw error;
}

function replay({ id, answer }: Creation, fingerprint: Buffer, claim: Claim): OnceResult {
  if (!fingerprint.equals(claim.fingerprint)) throw new ApiError('idempotency_key_reused');
  return { id, answer, replayed: true };
}
