import type { Category } from '../categories/categories.dto.js';
import type { NewPetBody } from '../pets/pets.dto.js';
import type { OrderStatus } from '../store/orders.dto.js';

/** A pet, with the status of its order if it has one. */
export interface SamplePet extends NewPetBody {
  readonly order?: OrderStatus;
}

const NAMES =
  'Bella, Max, Luna, Charlie, Lucy, Cooper, Daisy, Milo, Zoë, Rocky, Molly, Buddy, ' +
  'Sadie, Tucker, Chloé, Bear, Lola, Oliver, Nala, Jack, Ruby, Toby, Rosie, Duke, ' +
  'Gracie, Finn, Willow, Leo, Piper, Oscar, Maggie, Jürgen, Coco, Louie, Stella, Bruno, ' +
  'Penny, Simba, Hazel, Gus, Mimi, Otto, Kiwi, Pepper, Biscuit, Clover, Pip, Señor Whiskers';

/** Categories, with the percentage of pets in each. */
const SHARES: readonly (Category & { readonly kind: string; readonly share: number })[] = [
  { id: 1n, name: 'Dogs', kind: 'the dog', share: 28 },
  { id: 2n, name: 'Cats', kind: 'the cat', share: 26 },
  { id: 3n, name: 'Rabbits', kind: 'the rabbit', share: 14 },
  { id: 4n, name: 'Budgies', kind: 'the budgie', share: 12 },
  { id: 5n, name: 'Guinea pigs', kind: 'the guinea pig', share: 10 },
  { id: 6n, name: 'Tortoises', kind: 'the tortoise', share: 6 },
  { id: 7n, name: 'Geckos', kind: 'the gecko', share: 4 },
  // Can be deleted.
  { id: 8n, name: 'Snakes', kind: 'the snake', share: 0 },
];

/** The categories of the sample pets. */
export const SAMPLE_CATEGORIES: readonly Category[] = SHARES.map(({ id, name }) => ({ id, name }));

type Sale = Pick<SamplePet, 'status' | 'order'>;

const times = (count: number, sale: Sale): readonly Sale[] => Array.from({ length: count }, () => sale);

/** Twenty pets with their orders: a pending or sold one has an order, and one of the available ones had one. */
const SALES: readonly Sale[] = [
  ...times(11, { status: 'available' }),
  { status: 'available', order: 'cancelled' },
  { status: 'pending', order: 'approved' },
  ...times(2, { status: 'pending', order: 'placed' }),
  ...times(3, { status: 'sold', order: 'delivered' }),
  ...times(2, {}),
];

const COUNT = 300;

/** Steps through a list so that neighbours differ: coprime to the lengths of the lists, and the same at each start. */
const STRIDE = 37;

/**
 * The pets of a new embedded database: always the same, so that the examples in the document succeed: they delete
 * pet 4, order pet 2 and approve order 1.
 */
export function samplePets(): readonly SamplePet[] {
  const names = NAMES.split(', ');
  return Array.from({ length: COUNT }, (_, index) => {
    const { id: categoryId, kind } = categoryAt((index * STRIDE) % 100);
    const name = `${names[(index * STRIDE) % names.length]} ${kind}`;
    return { name, categoryId, ...SALES[(index * 7) % SALES.length] };
  });
}

function categoryAt(percentile: number): Pick<(typeof SHARES)[number], 'id' | 'kind'> {
  let end = 0;
  for (const category of SHARES) {
    end += category.share;
    if (percentile < end) return category;
  }
  throw new Error('the shares of the categories do not add up to 100');
}
