import { Injectable } from '@nestjs/common';
import { ApiError } from '../errors/api-error.js';
import type { CreationOutcome } from '../resources/idempotency.service.js';
import type { Page, PageRequest } from '../resources/lists.js';
import { type Changed, type Load, type New, Records } from '../resources/records.js';
import type { ListOrdersQuery, NewOrderBody, OrderChangeBody } from './orders.dto.js';
import { CHANGE_ORDERS, FIND_ORDERS, LIST_ORDERS, PLACE_ORDERS } from './orders.sql.js';

/** The orders in the database. */
@Injectable()
export class OrdersRepository {
  readonly list: Load<ListOrdersQuery & PageRequest, Page>;
  readonly find: Load<bigint, string>;
  /** The first order for a pet wins. */
  readonly place: Load<New<NewOrderBody>, CreationOutcome>;
  readonly change: Load<Changed<OrderChangeBody>, string>;

  constructor(records: Records) {
    this.list = records.pages(LIST_ORDERS);
    this.find = records.finds(FIND_ORDERS, 'order_not_found');
    this.place = records.creations({
      table: 'orders',
      statement: PLACE_ORDERS,
      failures: ['unknown_pet', 'pet_not_available'],
      locks: { table: 'pets', keyOf: ({ members }) => members.petId },
    });
    this.change = records.changes({
      table: 'orders',
      statement: CHANGE_ORDERS,
      failures: ['order_not_found'],
      outcomes: {
        order_transition_not_allowed: ({ status }, { members }) =>
          new ApiError(
            'order_transition_not_allowed',
            `The order is ${status} and cannot become ${members.status}.`,
          ),
      },
    });
  }
}
