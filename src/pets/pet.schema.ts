import { type NewPet, type Pet, PET_STATUSES } from './pet.js';

/** Beyond 2^53, so that whoever copies it sees early whether a program keeps every digit. */
export const NEW_PET_EXAMPLE: NewPet = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };

export const PET_EXAMPLE: Pet = { id: 301n, ...NEW_PET_EXAMPLE };

export const PETS_EXAMPLE: readonly Pet[] = [
  PET_EXAMPLE,
  { id: 302n, name: 'Mieze', categoryId: 12n, status: 'sold' },
  { id: 303n, name: 'Hansi', categoryId: 7n },
];

const petStatusSchema = {
  title: 'PetStatus',
  description: 'Whether an animal can be ordered, is ordered, or is sold.',
  type: 'string',
  enum: PET_STATUSES,
};

/** An animal as the document describes it. Answers are texts that the database or `petJson` has written. */
export const petSchema = {
  title: 'Pet',
  description: 'An animal.',
  type: 'object',
  properties: {
    id: { type: 'integer', format: 'int64', description: 'Given by the service when the animal is added.' },
    name: { type: 'string', description: 'Kept exactly as it was sent.' },
    categoryId: {
      type: 'integer',
      format: 'int64',
      description: 'The category that the animal belongs to: any int64.',
    },
    status: petStatusSchema,
  },
  required: ['id', 'name', 'categoryId'],
};

export const petsSchema = {
  title: 'Pets',
  description: 'Animals by ascending `id`.',
  type: 'array',
  items: petSchema,
};

/** An animal's JSON, as the schema would write it. */
export const petJson = (id: bigint, members: NewPet): string => `{"id":${id},${membersJson(members)}`;

/** What follows the identifier in it. */
export function membersJson({ name, categoryId, status }: NewPet): string {
  const statusMember = status === undefined ? '' : `,"status":"${status}"`;
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusMember}}`;
}
