import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import { groupReads } from '../database/groups.js';
import type { Claim, Creation } from './claim.js';

/** A first answer, with the fingerprint of the request that it answered. */
export interface StoredCreation extends Creation {
  readonly fingerprint: Buffer;
}

export const FIND_STORED_CREATIONS: Statement = {
  name: 'find_idempotency_keys',
  text: `
    select asked.number::int, stored.resource_id, stored.answer, stored.fingerprint
    from unnest($1::bigint[], $2::text[]) with ordinality as asked (api_key_id, key, number)
    join idempotency_keys as stored on stored.api_key_id = asked.api_key_id and stored.key = asked.key
    where stored.expires_at > now()`,
};

type Row = readonly [number: number, id: bigint, answer: string, fingerprint: Buffer];

/** The stored first answers. They are written by the statements that create what they answer with. */
@Injectable()
export class IdempotencyRepository {
  readonly #stored = groupReads<Claim, StoredCreation | undefined>({
    name: 'find_idempotency_keys',
    send: (claims) => this.#select(claims),
  });

  constructor(private readonly database: Database) {}

  find(claim: Claim, deadline: number): Promise<StoredCreation | undefined> {
    return this.#stored.ask(claim, deadline);
  }

  async #select(claims: readonly Claim[]): Promise<readonly (StoredCreation | undefined)[]> {
    const rows = await this.database.rows<Row>(FIND_STORED_CREATIONS, [
      claims.map(({ apiKeyId }) => apiKeyId),
      claims.map(({ key }) => key),
    ]);
    const answers: (StoredCreation | undefined)[] = claims.map(() => undefined);
    for (const [number, id, answer, fingerprint] of rows) answers[number - 1] = { id, answer, fingerprint };
    return answers;
  }
}

const DELETE_EXPIRED: Statement = {
  name: 'delete_expired_idempotency_keys',
  text: `
    with expired as (
      select api_key_id, key
      from idempotency_keys
      where expires_at <= now()
      order by expires_at
      limit $1
      for update skip locked)
    delete from idempotency_keys as stored
    using expired
    where stored.api_key_id = expired.api_key_id and stored.key = expired.key
    returning 1`,
};

/** Deletes up to `batchSize` expired answers and tells how many; replicas do not wait for each other. */
export const deleteExpiredAnswers = async (
  database: Pick<Database, 'write'>,
  batchSize: number,
): Promise<number> => (await database.write(DELETE_EXPIRED, [batchSize])).length;
