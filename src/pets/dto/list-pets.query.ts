import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { Described } from '../../http/route.decorators.js';
import { PagingQuery } from '../../http/paging/paging.query.js';
import { MayBeAbsent } from '../../http/input/validators.js';
import { PET_STATUSES, type PetStatus } from '../pet.js';

/** The query of `GET /v1/pets`. */
export class ListPetsQuery extends PagingQuery {
  @Expose()
  @Described('Only animals of this status.')
  @MayBeAbsent()
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  readonly status?: PetStatus;
}
