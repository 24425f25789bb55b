export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** A requested change of a pet: the members that are absent stay. */
export interface PetChange {
  readonly name?: string;
  readonly categoryId?: bigint;
  readonly status?: PetStatus;
}

/** A pet that is not stored yet. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}
