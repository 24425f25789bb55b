import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { Described } from '../../http/route.decorators.js';
import { PagingQuery } from '../../http/paging/paging.query.js';
import { MayBeAbsent } from '../../http/input/validators.js';
import { ORDER_STATUSES, type OrderStatus } from '../order.js';

/** The query of `GET /v1/store/orders`. */
export class ListOrdersQuery extends PagingQuery {
  @Expose()
  @Described('Only orders of this status.')
  @MayBeAbsent()
  @IsIn(ORDER_STATUSES, { message: `status must be one of ${ORDER_STATUSES.join(', ')}` })
  readonly status?: OrderStatus;
}
