import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { isUnavailable } from '../common/errors/database-errors.js';
import { within } from '../prisma/within.js';
import { ApiError } from '../common/errors/api-error.js';
import type { Claim, ClaimOutcome, Creation } from './claim.js';
import { IdempotencyRepository, type StoredCreation } from './idempotency.repository.js';

/** A creation under a claim, and whether an earlier request made it. */
interface OnceResult extends Creation {
  readonly replayed: boolean;
}

/**
 * Makes a creation happen at most once per claim. The database decides over all replicas; equal claims of one replica are
 * joined before, so that parallel repeats get the first one's response and no statement holds a claim twice.
 */
@Injectable()
export class Idempotency {
  readonly #underWay = new Map<string, { readonly claim: Claim; readonly result: Promise<OnceResult> }>();

  constructor(private readonly stored: IdempotencyRepository) {}

  /**
   * A request waits for its own statements and for those of equal requests before it. What it began goes on without it.
   *
   * @param deadline the moment of `performance.now()` until which it waits
   * @param create runs the statement that creates and stores the response; what it throws is thrown, and nothing is stored
   * @throws ApiError idempotency_key_reused | request_in_progress
   */
  once(claim: Claim, deadline: number, create: () => Promise<ClaimOutcome>): Promise<OnceResult> {
    return within(
      deadline - performance.now(),
      this.#inTurn(claim, () => this.#decide(claim, deadline, create)),
    );
  }

  async #inTurn(claim: Claim, decide: () => Promise<OnceResult>): Promise<OnceResult> {
    const name = `${claim.apiKeyId} ${claim.key}`;
    for (;;) {
      const first = this.#underWay.get(name);
      if (first === undefined) {
        const result = decide();
        this.#underWay.set(name, { claim, result });
        return await result.finally(() => this.#underWay.delete(name));
      }
      // A first request that was rejected has stored nothing: the next one in line takes its place. When the database is
      // unavailable, all are told so at once: one after another they would wait for as many timeouts.
      const result = await first.result.catch(unlessUnavailable);
      if (result !== undefined) return replay({ ...result, fingerprint: first.claim.fingerprint }, claim);
    }
  }

  async #decide(claim: Claim, deadline: number, create: () => Promise<ClaimOutcome>): Promise<OnceResult> {
    const outcome = await create();
    if (outcome.state === 'created') return { id: outcome.id, answer: outcome.answer, replayed: false };
    if (outcome.state !== 'busy') {
      const stored = await this.stored.find(claim, deadline);
      if (stored !== undefined) return replay(stored, claim);
      if (outcome.state === 'refused') throw new ApiError(outcome.code);
      // It expired between the two statements.
    }
    throw new ApiError('request_in_progress', undefined, { headers: { 'retry-after': '1' } });
  }
}

function unlessUnavailable(error: unknown): undefined {
  if (isUnavailable(error)) throw error;
}

function replay({ id, answer, fingerprint }: StoredCreation, claim: Claim): OnceResult {
  if (!fingerprint.equals(claim.fingerprint)) throw new ApiError('idempotency_key_reused');
  return { id, answer, replayed: true };
}

/** The stored response, as JSON text. */
export function asAnswered(reply: FastifyReply, { answer, replayed }: OnceResult): string {
  if (replayed) reply.header('idempotency-replayed', 'true');
  return answer;
}
