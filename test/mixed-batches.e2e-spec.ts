import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BatchReport } from '../src/batching/batcher.js';
import { type AnyBatcher, Batching, BatchObserver } from '../src/batching/batching.js';
import type { IdempotencyKey } from '../src/idempotency/idempotency-key.js';
import { PetsRepository } from '../src/pets/pets.repository.js';
import { OrdersRepository } from '../src/store/orders.repository.js';
import { addPets } from './support/store.js';
import { useService } from './support/use-service.js';

class Observer extends BatchObserver {
  readonly reports: BatchReport[] = [];
  batcherMade(_batcher: AnyBatcher): void {}
  statementEnded(report: BatchReport): void {
    this.reports.push(report);
  }
}

const service = useService();

const newKey = (): IdempotencyKey => ({
  apiKeyId: 1n,
  key: randomUUID(),
  fingerprint: Buffer.alloc(32, 0x5c),
});

const inTime = (): number => performance.now() + 100_000;

/** Requests without a key before, between and after those with one. */
const mixed = (): readonly (IdempotencyKey | undefined)[] => [
  undefined,
  newKey(),
  undefined,
  newKey(),
  undefined,
];

/** The fingerprints that are stored for keys. */
async function fingerprintsOf(keys: readonly (IdempotencyKey | undefined)[]): Promise<readonly Buffer[]> {
  const { rows } = await service.pool.query<{ fingerprint: Buffer }>(
    'select fingerprint from idempotency_keys where key = any($1)',
    [keys.flatMap((one) => one?.key ?? [])],
  );
  return rows.map(({ fingerprint }) => fingerprint);
}

describe('requests with and without an Idempotency-Key', () => {
  it('share one statement that creates pets', async () => {
    const observer = new Observer();
    const pets = new PetsRepository(new Batching(service.prisma, observer), service.prisma);
    const keys = mixed();
    const created = await Promise.all(
      keys.map((key, index) => pets.create({ name: `Pet ${index}`, categoryId: 1n }, key, inTime())),
    );
    expect(created).toEqual(
      keys.map((_, index) => ({
        id: expect.any(BigInt),
        json: expect.stringContaining(`"name":"Pet ${index}"`),
      })),
    );
    expect(observer.reports).toMatchObject([{ items: { length: keys.length }, failure: undefined }]);
    expect(await fingerprintsOf(keys)).toEqual([Buffer.alloc(32, 0x5c), Buffer.alloc(32, 0x5c)]);
  });

  it('share one statement that places orders', async () => {
    const observer = new Observer();
    const orders = new OrdersRepository(new Batching(service.prisma, observer), service.prisma);
    const keys = mixed();
    const petIds = await addPets(service, keys.length);
    const placed = await Promise.all(
      keys.map((key, index) => orders.place(petIds[index] ?? 0n, key, inTime())),
    );
    expect(placed).toEqual(
      petIds.map((petId) => ({
        id: expect.any(BigInt),
        json: expect.stringContaining(`"petId":${petId},"status":"placed"`),
      })),
    );
    expect(observer.reports).toMatchObject([{ items: { length: keys.length }, failure: undefined }]);
    expect(await fingerprintsOf(keys)).toEqual([Buffer.alloc(32, 0x5c), Buffer.alloc(32, 0x5c)]);
  });
});
