import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { PagingQuery } from '../common/pagination.js';
import {
  AreInt64Texts,
  IsOneOrMoreOf,
  type EnumSchema,
  IsInt64,
  IsInt64Text,
  IsOneOf,
  IsStorableText,
  MayBeAbsent,
} from '../common/validators.js';
import { type NewPet, PET_STATUSES, type PetChange, type PetStatus } from './pet.js';

const PET_STATUS: EnumSchema = {
  enum: [...PET_STATUSES],
  enumName: 'PetStatus',
  enumSchema: {
    description:
      '`available`: can be ordered. `pending`: reserved, usually by an open order. `sold`: no longer for sale.',
  },
};

const NAME_CODE_POINTS_MAX = 255;
const NAME = { description: 'Stored and returned exactly as sent.' };
const CATEGORY_ID = { description: 'The category of the pet: any int64.' };

const IDS_MAX = 100;
const SORT = { enum: ['id', '-id'] };

/** The query of `GET /v1/pets`. A pet must pass every filter. */
export class ListPetsQuery extends PagingQuery {
  @Expose()
  @ApiProperty({ description: 'Return only pets with one of these identifiers. Repeat it for each one.' })
  @MayBeAbsent()
  @AreInt64Texts(IDS_MAX)
  readonly id?: readonly bigint[];

  @Expose()
  @ApiProperty({ description: 'Return only pets with one of these statuses. Repeat it for each one.' })
  @MayBeAbsent()
  @IsOneOrMoreOf(PET_STATUS)
  readonly status?: readonly PetStatus[];

  @Expose()
  @ApiProperty({ description: 'Return only pets of this category.' })
  @MayBeAbsent()
  @IsInt64Text()
  readonly categoryId?: bigint;

  @Expose()
  @ApiProperty({
    description: '`id`: ascending, the oldest pet first. `-id`: descending.',
    required: false,
    default: 'id',
  })
  @IsOneOf(SORT)
  readonly sort: 'id' | '-id' = 'id';
}

/** The body of `POST /v1/pets`. */
@ApiSchema({ name: 'NewPet' })
export class NewPetBody implements NewPet {
  @Expose()
  @ApiProperty(NAME)
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name!: string;

  @Expose()
  @ApiProperty(CATEGORY_ID)
  @IsInt64()
  readonly categoryId!: bigint;

  @Expose()
  @MayBeAbsent()
  @IsOneOf(PET_STATUS)
  readonly status?: PetStatus;
}

/** The body of `PATCH /v1/pets/{petId}`. */
@ApiSchema({ name: 'PetChange', description: 'The members to change. Absent members stay as they are.' })
export class PetChangeBody implements PetChange {
  @Expose()
  @ApiProperty(NAME)
  @MayBeAbsent()
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name?: string;

  @Expose()
  @ApiProperty(CATEGORY_ID)
  @MayBeAbsent()
  @IsInt64()
  readonly categoryId?: bigint;

  @Expose()
  @MayBeAbsent()
  @IsOneOf(PET_STATUS)
  readonly status?: PetStatus;
}

/** A pet in a response. The function `pet_json` of the database writes its JSON. */
@ApiSchema({ description: 'A pet.' })
export class Pet {
  @ApiProperty({ description: 'Assigned by the service when the pet is added.' })
  readonly id!: bigint;

  @ApiProperty(NAME)
  readonly name!: string;

  @ApiProperty(CATEGORY_ID)
  readonly categoryId!: bigint;

  @ApiProperty({ ...PET_STATUS, required: false })
  readonly status?: PetStatus;
}

/** A `categoryId` beyond 2^53, so that an example copied into a program shows early whether it keeps every digit. */
export const NEW_PET_EXAMPLE: NewPet = { name: 'Rex', categoryId: 9007199254740993n, status: 'available' };

export const PET_EXAMPLE: Pet = { id: 1n, ...NEW_PET_EXAMPLE };

export const CHANGED_PET_EXAMPLE: Pet = { id: 1n, ...NEW_PET_EXAMPLE, name: 'Rex II' };

export const PETS_EXAMPLE: readonly Pet[] = [
  PET_EXAMPLE,
  { id: 2n, name: 'Luna', categoryId: 12n, status: 'sold' },
  { id: 3n, name: 'Coco', categoryId: 7n },
];
