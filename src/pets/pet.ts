export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** A pet that is not stored yet. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** The JSON of a pet. */
export const petJson = (id: bigint, members: NewPet): string => `{"id":${id},${membersJson(members)}`;

/** What follows the identifier in it. */
export function membersJson({ name, categoryId, status }: NewPet): string {
  const statusMember = status === undefined ? '' : `,"status":"${status}"`;
  return `"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusMember}}`;
}
