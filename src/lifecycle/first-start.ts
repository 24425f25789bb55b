import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { OrderStatus } from '../store/orders.dto.js';
import { SAMPLE_CATEGORIES, samplePets } from './sample-pets.js';

/** The content of a new embedded database, so that the first request returns something. */
export interface FirstStart {
  readonly apiKey: string;
  readonly sampleCount: number;
}

/** Prisma's own 5 s are little for a new database on a busy machine. */
const TIMEOUTS = { maxWait: 60_000, timeout: 60_000 };

/**
 * Adds sample pets with their orders and a first key to a database without keys, in one transaction. A database with keys is in
 * use, and is not changed.
 *
 * @param report gets what was added, or undefined, as soon as the transaction is committed, so that no failure can come between the
 *   creation of a key and its print
 */
export async function prepareFirstStart(
  databaseUrl: string,
  report: (firstStart: FirstStart | undefined) => void,
): Promise<void> {
  // Without the time-outs of the service: on a slow machine a commit may outlast them, and what it wrote would not be known.
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
  // An import before the first key may have named some.
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
