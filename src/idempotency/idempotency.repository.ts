import { Injectable } from '@nestjs/common';
import { Batching } from '../batching/batching.js';
import type { Group } from '../batching/group.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { plainArray, statement } from '../prisma/statement.js';
import type { Claim, Creation } from './claim.js';

/** A first answer, with the fingerprint of the request that it answered. */
export interface StoredCreation extends Creation {
  readonly fingerprint: Buffer;
}

const FIND_STORED_CREATIONS = statement(
  'find_idempotency_keys',
  'reads',
  `
    select asked.number::int, stored.resource_id as id, stored.answer, stored.fingerprint
    from unnest($1::bigint[], $2::text[]) with ordinality as asked (api_key_id, key, number)
    join idempotency_keys as stored on stored.api_key_id = asked.api_key_id and stored.key = asked.key
    where stored.expires_at > now()`,
);

interface Row extends Creation {
  readonly number: number;
  readonly fingerprint: Uint8Array;
}

/** The stored first answers. They are written by the statements that create what they answer with. */
@Injectable()
export class IdempotencyRepository {
  readonly #stored: Group<Claim, StoredCreation | undefined>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#stored = batching.reads({
      name: 'find_idempotency_keys',
      send: (claims) => this.#select(claims),
    });
  }

  find(claim: Claim, deadline: number): Promise<StoredCreation | undefined> {
    return this.#stored.ask(claim, deadline);
  }

  async #select(claims: readonly Claim[]): Promise<readonly (StoredCreation | undefined)[]> {
    const rows = await this.prisma.read<Row>(FIND_STORED_CREATIONS, [
      plainArray(claims.map(({ apiKeyId }) => apiKeyId)),
      claims.map(({ key }) => key),
    ]);
    const answers: (StoredCreation | undefined)[] = claims.map(() => undefined);
    for (const { number, id, answer, fingerprint } of rows) {
      answers[number - 1] = { id, answer, fingerprint: Buffer.from(fingerprint) };
    }
    return answers;
  }
}

const DELETE_EXPIRED = statement(
  'delete_expired_idempotency_keys',
  'writes',
  `
    with expired as (
      select api_key_id, key
      from idempotency_keys
      where expires_at <= now()
      order by expires_at
      limit coalesce($1::int, 0)
      for update skip locked)
    delete from idempotency_keys as stored
    using expired
    where stored.api_key_id = expired.api_key_id and stored.key = expired.key
    returning stored.key`,
);

/** Deletes up to `batchSize` expired answers and tells how many; replicas do not wait for each other. */
export const deleteExpiredAnswers = async (
  prisma: Pick<PrismaService, 'write'>,
  batchSize: number,
): Promise<number> => (await prisma.write(DELETE_EXPIRED, [batchSize])).length;
