import type { NewPet, PetStatus } from '../pets/pet.js';
import type { OrderStatus } from '../store/order.js';

const NAMES =
  'Bella, Max, Luna, Charlie, Lucy, Cooper, Daisy, Milo, Zoë, Rocky, Molly, Buddy, ' +
  'Sadie, Tucker, Chloé, Bear, Lola, Oliver, Nala, Jack, Ruby, Toby, Rosie, Duke, ' +
  'Gracie, Finn, Willow, Leo, Piper, Oscar, Maggie, Jürgen, Coco, Louie, Stella, Bruno, ' +
  'Penny, Simba, Hazel, Gus, Mimi, Otto, Kiwi, Pepper, Biscuit, Clover, Pip, Señor Whiskers';

/** Categories, with how many of each hundred pets belong to them. The service stores only their identifiers. */
const CATEGORIES: readonly { readonly id: bigint; readonly kind: string; readonly share: number }[] = [
  { id: 1n, kind: 'the dog', share: 28 },
  { id: 2n, kind: 'the cat', share: 26 },
  { id: 3n, kind: 'the rabbit', share: 14 },
  { id: 4n, kind: 'the budgie', share: 12 },
  { id: 5n, kind: 'the guinea pig', share: 10 },
  { id: 6n, kind: 'the tortoise', share: 6 },
  { id: 7n, kind: 'the gecko', share: 4 },
];

/** The statuses of twenty pets: most are available, and two have none. */
const STATUSES: readonly (PetStatus | undefined)[] = [
  ...Array.from({ length: 12 }, () => 'available' as const),
  ...Array.from({ length: 3 }, () => 'pending' as const),
  ...Array.from({ length: 3 }, () => 'sold' as const),
  undefined,
  undefined,
];

const COUNT = 300;

/** Steps through a list so that neighbours differ: coprime to the lengths of the lists, and the same at each start. */
const STRIDE = 37;

/** The pets of a new embedded database: the same ones each time, so that examples can rely on them. */
export function samplePets(): readonly NewPet[] {
  const names = NAMES.split(', ');
  return Array.from({ length: COUNT }, (_, index) => {
    const { id: categoryId, kind } = categoryAt((index * STRIDE) % 100);
    const status = STATUSES[(index * 7) % STATUSES.length];
    const name = `${names[(index * STRIDE) % names.length]} ${kind}`;
    return status === undefined ? { name, categoryId } : { name, categoryId, status };
  });
}

function categoryAt(percentile: number): { readonly id: bigint; readonly kind: string } {
  let end = 0;
  for (const category of CATEGORIES) {
    end += category.share;
    if (percentile < end) return category;
  }
  throw new Error('the shares of the categories do not add up to 100');
}

/**
 * One in so many available pets was ordered once, and the order cancelled. None of the first ones: the examples of the document, which
 * delete pet 1, order pet 2 and approve order 1, succeed in a new database.
 */
const AVAILABLE_PER_CANCELLED = 12;

/**
 * The status of each sample pet's order, or undefined where it has none: a pending pet has an open order, alternately placed and
 * approved, a sold one a delivered order, and some available ones a cancelled order.
 */
export function sampleOrders(pets: readonly NewPet[]): readonly (OrderStatus | undefined)[] {
  const seen = { available: 0, pending: 0, sold: 0 };
  return pets.map(({ status }) => {
    if (status === undefined) return undefined;
    const number = seen[status]++;
    if (status === 'sold') return 'delivered';
    if (status === 'pending') return number % 2 === 0 ? 'placed' : 'approved';
    return number % AVAILABLE_PER_CANCELLED === AVAILABLE_PER_CANCELLED - 1 ? 'cancelled' : undefined;
  });
}
