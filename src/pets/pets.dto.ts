import { ApiProperty, ApiSchema, IntersectionType, PartialType } from '@nestjs/swagger';
import { PagingQuery } from '../resources/pagination.js';
import {
  AreInt64Texts,
  type EnumSchema,
  IsInt64,
  IsInt64Text,
  IsOneOf,
  IsOneOrMoreOf,
  IsStorableText,
  MayBeAbsent,
} from '../http/validators.js';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

const PET_STATUS: EnumSchema = {
  enum: [...PET_STATUSES],
  enumName: 'PetStatus',
  enumSchema: {
    description:
      '`available`: can be ordered. `pending`: reserved, usually by an open order. `sold`: no longer for sale.',
  },
};

const NAME_CODE_POINTS_MAX = 255;

const IDS_MAX = 100;

/** The query of `GET /v1/pets`. A pet must pass every filter. */
export class ListPetsQuery extends PagingQuery {
  @ApiProperty({ description: 'Return only pets with one of these identifiers. Repeat it for each one.' })
  @MayBeAbsent()
  @AreInt64Texts(IDS_MAX)
  readonly id?: readonly bigint[];

  @ApiProperty({ description: 'Return only pets with one of these statuses. Repeat it for each one.' })
  @MayBeAbsent()
  @IsOneOrMoreOf(PET_STATUS)
  readonly status?: readonly PetStatus[];

  @ApiProperty({ description: 'Return only pets of this category.' })
  @MayBeAbsent()
  @IsInt64Text()
  readonly categoryId?: bigint;
}

/** The body of `POST /v1/pets`: the members that clients set. */
@ApiSchema({ name: 'NewPet' })
export class NewPetBody {
  @ApiProperty({ description: 'Stored and returned exactly as sent.' })
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name!: string;

  @ApiProperty({ description: 'The category of the pet: any int64.' })
  @IsInt64()
  readonly categoryId!: bigint;

  @MayBeAbsent()
  @IsOneOf(PET_STATUS)
  readonly status?: PetStatus;
}

/** The body of `PATCH /v1/pets/{petId}`. */
@ApiSchema({ name: 'PetChange', description: 'The members to change. Absent members stay as they are.' })
export class PetChangeBody extends PartialType(NewPetBody, { skipNullProperties: false }) {}

class PetId {
  @ApiProperty({ description: 'Assigned by the service when the pet is added.' })
  readonly id!: bigint;
}

/** A pet in a response. The function `pet_json` of the database writes its JSON. */
@ApiSchema({ description: 'A pet.' })
export class Pet extends IntersectionType(PetId, NewPetBody) {}

export const NEW_PET_EXAMPLE: NewPetBody = { name: 'Rex', categoryId: 7n, status: 'available' };

export const PET_EXAMPLE: Pet = { id: 1n, name: 'Rex', categoryId: 7n, status: 'available' };

export const CHANGED_PET_EXAMPLE: Pet = {
  id: 1n,
  name: 'Rex II',
  categoryId: 7n,
  status: 'available',
};

export const PETS_EXAMPLE: readonly Pet[] = [
  PET_EXAMPLE,
  { id: 2n, name: 'Luna', categoryId: 12n, status: 'sold' },
  { id: 3n, name: 'Coco', categoryId: 7n },
];
