export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** A requested change of an order's status. */
export interface OrderChange {
  readonly id: bigint;
  readonly status: OrderStatus;
  /** The tags of which the order must have one, to be changed; undefined: it may have any. */
  readonly ifMatch?: readonly string[] | undefined;
}

/** An order after a change, which did not happen if it has none of the required tags, or if its status is not the wanted one. */
export interface ChangedOrder {
  readonly status: OrderStatus;
  readonly json: string;
  readonly hasOtherTag: boolean;
}
