import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { FromJsonInt64, IsInt64, MayBeAbsent } from '../common/validators.js';
import { PagingQuery } from '../common/pagination.js';
import { Described } from '../common/route.decorators.js';
import { ORDER_STATUSES, type OrderStatus } from './order.js';

const IsOrderStatus = (): PropertyDecorator =>
  IsIn(ORDER_STATUSES, { message: `status must be one of ${ORDER_STATUSES.join(', ')}` });

/** The query of `GET /v1/store/orders`. */
export class ListOrdersQuery extends PagingQuery {
  @Expose()
  @Described('Return only orders with this status.')
  @MayBeAbsent()
  @IsOrderStatus()
  readonly status?: OrderStatus;
}

/** The body of `POST /v1/store/orders`. */
export class NewOrderBody {
  @Expose()
  @FromJsonInt64()
  @IsInt64()
  readonly petId!: bigint;
}

/** The body of `PATCH /v1/store/orders/{orderId}`. */
export class OrderChangeBody {
  @Expose()
  @IsOrderStatus()
  readonly status!: OrderStatus;
}
