import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { OrderStatus } from '../store/orders.dto.js';
import { SAMPLE_CATEGORIES, samplePets } from './sample-pets.js';

/** The content of a new embedded database, so that the first request returns something. */
export interface FirstStart {
  readonly apiKey: string;
  readonly sampleCount: number;
}

/** Prisma's default of 5 s is too short on a busy machine. */
const TIMEOUTS = { maxWait: 60_000, timeout: 60_000 };

/**
 * Adds sample pets with their orders and a first key to a database without keys, in one transaction. A database with keys is in
 * use, and is not changed.
 *
 * @param report receives what was added, or undefined, right after the commit, so that no failure can occur between
 *   creating a key and printing it
 */
export async function prepareFirstStart(
  databaseUrl: string,
  report: (firstStart: FirstStart | undefined) => void,
): Promise<void> {
  // Without the service's time-outs: on a slow machine a commit may exceed them, and its outcome would be unknown.
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: databaseUrl, max: 1, application_name: 'petstore' }),
  });
  try {
    const firstStart = await prisma.$transaction(async (transaction) => {
      if ((await transaction.apiKey.count()) > 0) return undefined;
      const sampleCount = await writeSamples(transaction);
      const [{ key }] = await transaction.$queryRaw<[{ key: string }]>`
        select key from issue_api_key(name => 'First key', plan => 'pro')`;
      return { apiKey: key, sampleCount };
    }, TIMEOUTS);
    report(firstStart);
  } finally {
    await prisma.$disconnect();
  }
}

/**
 * Writes the sample categories, pets and orders, and returns the number of pets. The orders go through each status, because the database
 * rejects other transitions; triggers update the pets.
 */
async function writeSamples(transaction: Pick<PrismaClient, 'category' | 'pet' | 'order'>): Promise<number> {
  // An earlier import may have created some.
  await transaction.category.createMany({ data: [...SAMPLE_CATEGORIES], skipDuplicates: true });
  const samples = samplePets();
  const pets = await transaction.pet.createManyAndReturn({
    // An order is placed for an available pet.
    data: samples.map(({ order, ...pet }) => ({
      ...pet,
      ...(order !== undefined && { status: 'available' }),
    })),
    select: { id: true },
  });
  const petIdsOf = (...statuses: readonly OrderStatus[]): bigint[] =>
    pets
      .filter((_pet, index) => statuses.some((status) => status === samples[index]?.order))
      .map(({ id }) => id);
  const move = (status: OrderStatus, petIds: bigint[]): Promise<unknown> =>
    transaction.order.updateMany({ where: { petId: { in: petIds } }, data: { status } });

  await transaction.order.createMany({
    data: petIdsOf('placed', 'approved', 'delivered', 'cancelled').map((petId) => ({ petId })),
  });
  await move('approved', petIdsOf('approved', 'delivered'));
  await move('delivered', petIdsOf('delivered'));
  await move('cancelled', petIdsOf('cancelled'));
  return pets.length;
}
