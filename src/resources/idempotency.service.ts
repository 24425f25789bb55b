import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import type { ConnectionPools } from '../database/connection-pools.js';
import { PrismaService } from '../database/prisma.service.js';
import { JsonResponse } from '../http/json-response.js';
import { withTimeout } from '../database/with-timeout.js';
import type { IdempotencyKey } from './idempotency-key.js';

/** A resource that was created. */
export interface Creation {
  readonly id: bigint;
  /** The body of the response. */
  readonly json: string;
}

/**
 * The outcome of a creating statement: it created, or the Idempotency-Key is `busy`, because another request with it is in flight, or
 * `used`, because its response is stored.
 */
export type CreationOutcome = Creation | 'busy' | 'used';

/** A resource created now or earlier with the same Idempotency-Key. */
export interface OnceResult extends Creation {
  readonly isReplay: boolean;
}

interface StoredResponse extends Creation {
  readonly fingerprint: Uint8Array;
}

/** Reads stored responses. */
interface StoredResponses {
  readonly pools: { readonly reads: Pick<ConnectionPools['reads'], 'run'> };
  $queryRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<StoredResponse[]>;
}

/**
 * Executes a request with an Idempotency-Key at most once. The statement that creates also stores the response, so only the database
 * decides, for all requests and replicas.
 */
@Injectable()
export class Idempotency {
  constructor(@Inject(PrismaService) private readonly prisma: StoredResponses) {}

  /** The response of `once`, with `Location` and, if an earlier request created the resource, `Idempotency-Replayed`. */
  async respond(path: string, ...call: Parameters<Idempotency['once']>): Promise<JsonResponse> {
    const { id, json, isReplay } = await this.once(...call);
    return new JsonResponse(json, (origin) => ({
      location: `${origin}${path}/${id}`,
      ...(isReplay && { 'idempotency-replayed': 'true' }),
    }));
  }

  /**
   * After the deadline the statement may still commit.
   *
   * @param deadline the `performance.now()` time until which it waits
   * @param create runs the statement that creates and, with a key, stores the response. If it throws, nothing is stored
   * @throws ApiError idempotency_key_reused | request_in_progress
   */
  async once(
    key: IdempotencyKey | undefined,
    deadline: number,
    create: () => Promise<CreationOutcome>,
  ): Promise<OnceResult> {
    if (key !== undefined) return await withTimeout(deadline - performance.now(), this.#decide(key, create));
    const outcome = await create();
    if (typeof outcome === 'string') throw new Error(`${outcome} without an Idempotency-Key`);
    return { ...outcome, isReplay: false };
  }

  async #decide(key: IdempotencyKey, create: () => Promise<CreationOutcome>): Promise<OnceResult> {
    let rejection: unknown;
    const outcome = await create().catch((error: unknown) => {
      // The first request with the key may be why this one is rejected: then its response is stored.
      if (!(error instanceof ApiError)) throw error;
      rejection = error;
      return 'used' as const;
    });
    if (typeof outcome !== 'string') return { ...outcome, isReplay: false };
    const stored = outcome === 'used' ? await this.#find(key) : undefined;
    if (stored !== undefined) return replay(stored, key);
    if (rejection !== undefined) throw rejection;
    // The first request is in flight, or the response expired between the two statements.
    throw new ApiError('request_in_progress', undefined, { headers: { 'retry-after': '1' } });
  }

  /** Expiry is decided by the database's clock, as in the statements that store: this process's clock may be ahead. */
  async #find({ apiKeyId, key }: IdempotencyKey): Promise<StoredResponse | undefined> {
    const [stored] = await this.prisma.pools.reads.run(
      () => this.prisma.$queryRaw`
        select resource_id as id, answer as json, fingerprint
        from idempotency_keys
        where api_key_id = ${apiKeyId} and key = ${key} and expires_at > now()`,
    );
    return stored;
  }
}

function replay({ id, json, fingerprint }: StoredResponse, key: IdempotencyKey): OnceResult {
  if (!key.fingerprint.equals(fingerprint)) throw new ApiError('idempotency_key_reused');
  return { id, json, isReplay: true };
}
