import type { NewPet, Pet } from './pet.js';

/** Beyond 2^53, so that whoever copies it sees early whether a program keeps every digit. */
export const NEW_PET_EXAMPLE: NewPet = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };

export const PET_EXAMPLE: Pet = { id: 301n, ...NEW_PET_EXAMPLE };

export const PETS_EXAMPLE: readonly Pet[] = [
  PET_EXAMPLE,
  { id: 302n, name: 'Mieze', categoryId: 12n, status: 'sold' },
  { id: 303n, name: 'Hansi', categoryId: 7n },
];
