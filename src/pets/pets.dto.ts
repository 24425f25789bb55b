import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { FromJsonInt64, IsInt64, IsStorableText, MayBeAbsent } from '../common/validators.js';
import { PagingQuery } from '../common/pagination.js';
import { Described } from '../common/route.decorators.js';
import { type NewPet, PET_STATUSES, type PetStatus } from './pet.js';

const IsPetStatus = (): PropertyDecorator =>
  IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` });

/** The query of `GET /v1/pets`. */
export class ListPetsQuery extends PagingQuery {
  @Expose()
  @Described('Return only pets with this status.')
  @MayBeAbsent()
  @IsPetStatus()
  readonly status?: PetStatus;
}

const NAME_CODE_POINTS_MAX = 255;

/** The body of `POST /v1/pets`. */
export class NewPetBody implements NewPet {
  @Expose()
  @IsStorableText(NAME_CODE_POINTS_MAX)
  readonly name!: string;

  @Expose()
  @FromJsonInt64()
  @IsInt64()
  readonly categoryId!: bigint;

  @Expose()
  @MayBeAbsent()
  @IsPetStatus()
  readonly status?: PetStatus;
}
