import type { Database } from '../database/database.js';
import type { NewPet } from '../pets/pet.js';
import type { OrderStatus } from '../store/order.js';
import { sampleOrders } from './sample-orders.js';
import { samplePets } from './sample-pets.js';

type Transaction = Pick<Database['prisma'], 'pet' | 'order' | '$queryRaw'>;

/**
 * Writes the sample animals and their orders, and returns the number of animals. The orders take every step of their life,
 * because the database takes no other; so the animals come to their statuses by themselves.
 */
export async function writeSamples(transaction: Transaction): Promise<number> {
  const pets = samplePets();
  const orders = sampleOrders(pets);
  const ids = await drawPetIds(transaction, pets.length);
  const petIdsOf = (...statuses: readonly OrderStatus[]): bigint[] =>
    ids.filter((_id, index) => statuses.some((status) => status === orders[index]));
  const move = (status: OrderStatus, petIds: bigint[]): Promise<unknown> =>
    transaction.order.updateMany({ where: { petId: { in: petIds } }, data: { status } });

  await transaction.pet.createMany({
    data: pets.map((pet, index) => asCreated(pet, ids[index], orders[index])),
  });
  await transaction.order.createMany({
    data: petIdsOf('placed', 'approved', 'delivered', 'cancelled').map((petId) => ({ petId })),
  });
  await move('approved', petIdsOf('approved', 'delivered'));
  await move('delivered', petIdsOf('delivered'));
  await move('cancelled', petIdsOf('cancelled'));
  return pets.length;
}

/** An animal before its order. */
const asCreated = (pet: NewPet, id: bigint | undefined, order: OrderStatus | undefined) => ({
  ...pet,
  ...(id !== undefined && { id }),
  ...(order !== undefined && { status: 'available' as const }),
});

async function drawPetIds(transaction: Transaction, count: number): Promise<readonly bigint[]> {
  const rows = await transaction.$queryRaw<readonly { readonly id: bigint }[]>`
    select nextval('pets_id_seq') as id from generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => id);
}
