import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { PagingQuery } from '../resources/pagination.js';
import {
  type EnumSchema,
  IsInt64,
  IsInt64Text,
  IsOneOf,
  IsOneOrMoreOf,
  MayBeAbsent,
} from '../http/validators.js';

export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

const ORDER_STATUS: EnumSchema = {
  enum: [...ORDER_STATUSES],
  enumName: 'OrderStatus',
  enumSchema: {
    description:
      'An order is `placed`, then `approved`, then `delivered`. It can be `cancelled` until it is delivered.',
  },
};

const PET_ID = { description: 'The ordered pet.' };

/** The query of `GET /v1/store/orders`. */
export class ListOrdersQuery extends PagingQuery {
  @ApiProperty({ description: 'Return only orders with one of these statuses. Repeat it for each one.' })
  @MayBeAbsent()
  @IsOneOrMoreOf(ORDER_STATUS)
  readonly status?: readonly OrderStatus[];

  @ApiProperty({ description: 'Return only orders for this pet.' })
  @MayBeAbsent()
  @IsInt64Text()
  readonly petId?: bigint;
}

/** The body of `POST /v1/store/orders`. */
@ApiSchema({ name: 'NewOrder' })
export class NewOrderBody {
  @ApiProperty(PET_ID)
  @IsInt64()
  readonly petId!: bigint;
}

/** The body of `PATCH /v1/store/orders/{orderId}`. */
@ApiSchema({ name: 'OrderChange' })
export class OrderChangeBody {
  @IsOneOf(ORDER_STATUS)
  readonly status!: OrderStatus;
}

/** An order in a response. The function `order_json` of the database writes its JSON. */
@ApiSchema({ description: 'An order for one pet.' })
export class Order {
  @ApiProperty({ description: 'Assigned by the service when the order is placed.' })
  readonly id!: bigint;

  @ApiProperty(PET_ID)
  readonly petId!: bigint;

  @ApiProperty(ORDER_STATUS)
  readonly status!: OrderStatus;

  @ApiProperty({ description: 'When the order was placed.' })
  readonly placedAt!: Date;

  @ApiProperty({ description: 'When the status last changed.' })
  readonly updatedAt!: Date;
}

export const ORDER_EXAMPLE: Order = {
  id: 1n,
  petId: 2n,
  status: 'placed',
  placedAt: new Date('2026-11-20T09:30:00.000Z'),
  updatedAt: new Date('2026-11-20T09:30:00.000Z'),
};

export const CHANGED_ORDER_EXAMPLE: Order = {
  id: 1n,
  petId: 2n,
  status: 'approved',
  placedAt: new Date('2026-11-20T09:30:00.000Z'),
  updatedAt: new Date('2026-11-20T10:05:12.345Z'),
};
