import { Expose } from 'class-transformer';
import { IsIn, IsInt, Max, Min } from 'class-validator';
import { FromPlainInteger, MayBeAbsent } from '../../http/validators.js';
import { PET_STATUSES, type PetStatus } from '../pet.js';

const LIMIT_MAX = 100;
const LIMIT_MESSAGE = { message: `limit must be an integer from 1 to ${LIMIT_MAX}` };

/** The query of `GET /v1/pets`. */
export class ListPetsQuery {
  @Expose()
  @FromPlainInteger()
  @IsInt(LIMIT_MESSAGE)
  @Min(1, LIMIT_MESSAGE)
  @Max(LIMIT_MAX, LIMIT_MESSAGE)
  readonly limit: number = 20;

  @Expose()
  @MayBeAbsent()
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  readonly status?: PetStatus;
}
