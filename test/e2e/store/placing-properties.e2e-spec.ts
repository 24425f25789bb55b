import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PLACE_ORDERS } from '../../../src/store/orders.sql.js';
import { startService, type TestService } from '../../support/service.js';
import { addPets } from '../../support/store.js';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** An animal, and the claim under which it is ordered; both by their places in a small world. */
interface Placing {
  readonly pet: number;
  readonly claim: number;
}

interface Row {
  readonly isMine: boolean;
  readonly id: bigint | null;
  readonly json: string | null;
  readonly rejection: string | null;
}

const PETS = 3;
const CLAIMS = 6;

const placing = fc.record({ pet: fc.nat(PETS - 1), claim: fc.nat(CLAIMS - 1) });
/** No two of a group have the same claim: those are joined before. */
const group = fc.uniqueArray(placing, { selector: ({ claim }) => claim, minLength: 1 });
/** Orders that were placed before, of which some are cancelled, so that their animals are free again. */
const history = fc.array(fc.record({ placing, isCancelled: fc.boolean() }), { maxLength: 4 });

/** Animals and claims of their own, so that the same can happen twice. */
async function world(apiKeyId: bigint) {
  const pets = await addPets(service, PETS);
  const place = (asked: readonly Placing[]) =>
    service.prisma.write<Row>(PLACE_ORDERS, [
      asked.map(({ pet }) => pets[pet]),
      asked.map(() => apiKeyId),
      asked.map(({ claim }) => `claim-${claim}`),
      asked.map(() => Buffer.alloc(32)),
    ]);
  return {
    outcomesOf: async (asked: readonly Placing[]) =>
      (await place(asked)).map(({ isMine, json, rejection }) => [isMine, json !== null, rejection]),
    async livedThrough(past: readonly { placing: Placing; isCancelled: boolean }[]) {
      for (const { placing: placed, isCancelled } of past) {
        const [row] = await place([placed]);
        if (isCancelled && row?.json != null) {
          await service.pool.query(`update orders set status = 'cancelled' where id = $1`, [row.id]);
        }
      }
    },
  };
}

let keys = 1_000_000n;

describe('orders with claims that are placed together', () => {
  it('come out as if they had been placed one after another, whatever was placed and cancelled before', async () => {
    await fc.assert(
      fc.asyncProperty(history, group, async (past, asked) => {
        const together = await world(keys++);
        const oneByOne = await world(keys++);
        await together.livedThrough(past);
        await oneByOne.livedThrough(past);

        const expected = [];
        for (const one of asked) expected.push(...(await oneByOne.outcomesOf([one])));
        expect(await together.outcomesOf(asked)).toEqual(expected);
      }),
    );
  });
});
