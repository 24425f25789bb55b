import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { FromJsonInt64, IsInt64, IsStorableText, MayBeAbsent } from '../../http/input/validators.js';
import { type NewPet, PET_STATUSES, type PetStatus } from '../pet.js';

export const NAME_CODE_POINTS_MAX = 255;

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
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  readonly status?: PetStatus;
}
