import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BatchReport } from '../src/batching/batcher.js';
import { Batching, type BatchObserver } from '../src/batching/batching.js';
import { parsePreconditions } from '../src/http/etag.js';
import type { IdempotencyKey } from '../src/resources/idempotency-key.js';
import { PetsRepository } from '../src/pets/pets.repository.js';
import { Records } from '../src/resources/records.js';
import { OrdersRepository } from '../src/store/orders.repository.js';
import { addPets, orderInStatus } from './support/store.js';
import { useService } from './support/use-service.js';

class Observer implements BatchObserver {
  readonly reports: BatchReport[] = [];
  statementEnded(report: BatchReport): void {
    this.reports.push(report);
  }
}

const service = useService();

const recordsWith = (observer: BatchObserver): Records =>
  new Records(new Batching(service.prisma, [observer]), service.prisma);

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
    const pets = new PetsRepository(recordsWith(observer));
    const keys = mixed();
    const created = await Promise.all(
      keys.map((key, index) =>
        pets.create({ members: { name: `Pet ${index}`, categoryId: 1n }, key }, inTime()),
      ),
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
    const orders = new OrdersRepository(recordsWith(observer));
    const keys = mixed();
    const petIds = await addPets(service, keys.length);
    const placed = await Promise.all(
      keys.map((key, index) => orders.place({ members: { petId: petIds[index] ?? 0n }, key }, inTime())),
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

/** What each promise resolves to, or the code of its error. */
const outcomesOf = (promises: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
  Promise.all(promises.map((one) => one.catch((error: unknown) => (error as { code?: unknown }).code)));

describe('writes of different outcomes share one statement', () => {
  const ANY = parsePreconditions({});
  const OTHER = parsePreconditions({ 'if-match': '"other"' });

  it('that changes pets', async () => {
    const observer = new Observer();
    const pets = new PetsRepository(recordsWith(observer));
    const [renamed = 0n, same = 0n, stale = 0n] = await addPets(service, 3);
    const ordered = BigInt((await orderInStatus(service, 'placed')).petId);
    const outcomes = await outcomesOf([
      pets.change({ id: ordered, members: { status: 'sold' }, ...ANY }, inTime()),
      pets.change({ id: renamed, members: { name: 'Max', categoryId: -1n }, ...ANY }, inTime()),
      pets.change({ id: -1n, members: { name: 'Max' }, ...ANY }, inTime()),
      pets.change({ id: same, members: { status: 'available' }, ...ANY }, inTime()),
      pets.change({ id: stale, members: { name: 'Max' }, ...OTHER }, inTime()),
    ]);
    expect(outcomes).toEqual([
      'pet_has_open_order',
      `{"id":${renamed},"name":"Max","categoryId":-1,"status":"available"}`,
      'pet_not_found',
      `{"id":${same},"name":"Pet","categoryId":1,"status":"available"}`,
      'precondition_failed',
    ]);
    expect(observer.reports).toMatchObject([{ items: { length: 5 }, failure: undefined }]);
  });

  it('that deletes pets', async () => {
    const observer = new Observer();
    const pets = new PetsRepository(recordsWith(observer));
    const [deleted = 0n, stale = 0n] = await addPets(service, 2);
    const orders = await Promise.all(
      (['placed', 'delivered', 'cancelled'] as const).map((status) => orderInStatus(service, status)),
    );
    const ids = [deleted, stale, -1n, ...orders.map(({ petId }) => BigInt(petId))];
    const outcomes = await outcomesOf(
      ids.map((id) => pets.delete({ id, ...(id === stale ? OTHER : ANY) }, inTime())),
    );
    expect(outcomes).toEqual([
      undefined,
      'precondition_failed',
      'pet_not_found',
      'pet_has_open_order',
      'pet_is_sold',
      undefined,
    ]);
    expect(observer.reports).toMatchObject([{ items: { length: 6 }, failure: undefined }]);
  });

  it('that changes orders', async () => {
    const observer = new Observer();
    const orders = new OrdersRepository(recordsWith(observer));
    const placed = await Promise.all(Array.from({ length: 4 }, () => orderInStatus(service, 'placed')));
    const [approved = 0n, same = 0n, stale = 0n, hasty = 0n] = placed.map(({ id }) => BigInt(id));
    const outcomes = await outcomesOf([
      orders.change({ id: hasty, members: { status: 'delivered' }, ...ANY }, inTime()),
      orders.change({ id: approved, members: { status: 'approved' }, ...ANY }, inTime()),
      orders.change({ id: -1n, members: { status: 'approved' }, ...ANY }, inTime()),
      orders.change({ id: same, members: { status: 'placed' }, ...ANY }, inTime()),
      orders.change({ id: stale, members: { status: 'approved' }, ...OTHER }, inTime()),
    ]);
    expect(outcomes).toEqual([
      'order_transition_not_allowed',
      expect.stringMatching(new RegExp(`^{"id":${approved},.*"status":"approved",`)),
      'order_not_found',
      expect.stringMatching(new RegExp(`^{"id":${same},.*"status":"placed",`)),
      'precondition_failed',
    ]);
    expect(observer.reports).toMatchObject([{ items: { length: 5 }, failure: undefined }]);
  });
});
