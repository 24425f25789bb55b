import { Expose } from 'class-transformer';
import { IsIn } from 'class-validator';
import { ORDER_STATUSES, type OrderStatus } from '../order.js';

/** The body of `PATCH /v1/store/orders/{orderId}`. */
export class OrderChangeBody {
  @Expose()
  @IsIn(ORDER_STATUSES, { message: `status must be one of ${ORDER_STATUSES.join(', ')}` })
  readonly status!: OrderStatus;
}
