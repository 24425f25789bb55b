import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { PagingQuery } from '../../http/paging.query.js';
import { MayBeAbsent } from '../../http/validators.js';
import { PET_STATUSES, type PetStatus } from '../pet.js';

/** The query of `GET /v1/pets`. */
export class ListPetsQuery extends PagingQuery {
  @Expose()
  @MayBeAbsent()
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  readonly status?: PetStatus;
}
