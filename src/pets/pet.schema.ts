import { type NewPet, PET_STATUSES } from './pet.js';

/** How an animal is written: by schema, which is fast and writes int64 to the digit. */
export const petSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    categoryId: { type: 'integer' },
    status: { type: 'string', enum: PET_STATUSES },
  },
  required: ['id', 'name', 'categoryId'],
};

export const petsSchema = { type: 'array', items: petSchema };

/** What follows the identifier in an animal's JSON, written as the schema writes it. */
export function membersJson({ name, categoryId, status }: NewPet): string {
  const statusMember = status === undefined ? '' : `,"status":"${status}"`;
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusMember}}`;
}
