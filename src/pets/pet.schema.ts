import { type NewPet, type Pet, PET_STATUSES } from './pet.js';

/** Beyond 2^53, so that an example copied into a program shows early whether it keeps every digit. */
export const NEW_PET_EXAMPLE: NewPet = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };

export const PET_EXAMPLE: Pet = { id: 301n, ...NEW_PET_EXAMPLE };

export const PETS_EXAMPLE: readonly Pet[] = [
  PET_EXAMPLE,
  { id: 302n, name: 'Luna', categoryId: 12n, status: 'sold' },
  { id: 303n, name: 'Coco', categoryId: 7n },
];

const petStatusSchema = {
  title: 'PetStatus',
  description:
    '`available`: can be ordered. `pending`: reserved, usually by an open order. `sold`: no longer for sale.',
  type: 'string',
  enum: PET_STATUSES,
};

/** A pet in the OpenAPI document. The database or `petJson` writes the JSON of responses. */
export const petSchema = {
  title: 'Pet',
  description: 'A pet.',
  type: 'object',
  properties: {
    id: { type: 'integer', format: 'int64', description: 'Assigned by the service when the pet is added.' },
    name: { type: 'string', description: 'Stored and returned exactly as sent.' },
    categoryId: {
      type: 'integer',
      format: 'int64',
      description: 'The category of the pet: any int64.',
    },
    status: petStatusSchema,
  },
  required: ['id', 'name', 'categoryId'],
};

export const petsSchema = {
  title: 'Pets',
  description: 'Pets, ordered by `id`.',
  type: 'array',
  items: petSchema,
};

/** The JSON of a pet. */
export const petJson = (id: bigint, members: NewPet): string => `{"id":${id},${membersJson(members)}`;

/** What follows the identifier in it. */
export function membersJson({ name, categoryId, status }: NewPet): string {
  const statusMember = status === undefined ? '' : `,"status":"${status}"`;
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusMember}}`;
}
