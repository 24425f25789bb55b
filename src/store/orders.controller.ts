import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Preconditions, RequestPreconditions } from '../http/etag.js';
import { InputPipe } from '../http/input.pipe.js';
import { ApiId, Operation } from '../http/operation.decorators.js';
import type { JsonResponse } from '../http/json-response.js';
import { idIn, RequestDeadline } from '../http/request.js';
import { type IdempotencyKey, RequestIdempotencyKey } from '../resources/idempotency-key.js';
import { Idempotency } from '../resources/idempotency.service.js';
import { Paging } from '../resources/pagination.js';
import {
  CHANGED_ORDER_EXAMPLE,
  ListOrdersQuery,
  NewOrderBody,
  Order,
  ORDER_EXAMPLE,
  OrderChangeBody,
} from './orders.dto.js';
import { OrdersRepository } from './orders.repository.js';

const PATH = '/v1/store/orders';

const idOf = idIn('order_not_found');

@ApiTags('Store')
@Controller(PATH)
export class OrdersController {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  @Operation({
    summary: 'List orders',
    query: ListOrdersQuery,
    description:
      'Returns a page of orders, ordered by `id`. Follow the `next` link in the `Link` header until there is none.',
  })
  @ApiOkResponse({
    type: [Order],
    description: 'A page of orders, which may be empty.',
    example: [ORDER_EXAMPLE],
  })
  async listOrders(
    @Query(InputPipe) query: ListOrdersQuery,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const paging = new Paging(PATH, query);
    return paging.respond(await this.orders.list(paging.page, deadline));
  }

  @Post()
  @Operation({
    summary: 'Place an order',
    description:
      'Orders a pet that is `available` and makes it `pending`. Of simultaneous orders for the same pet, exactly one succeeds.',
  })
  @ApiBody({ type: NewOrderBody, examples: { order: { value: { petId: ORDER_EXAMPLE.petId } } } })
  @ApiCreatedResponse({ type: Order, description: 'The order.', example: ORDER_EXAMPLE })
  async placeOrder(
    @Body(InputPipe) members: NewOrderBody,
    @RequestIdempotencyKey() key: IdempotencyKey | undefined,
    @RequestDeadline() deadline: number,
  ): Promise<JsonResponse> {
    const place = () => this.orders.place({ members, key }, deadline);
    return await this.idempotency.respond(PATH, key, deadline, place);
  }

  @Get(':orderId')
  @Operation({ summary: 'Get an order', description: 'Returns an order by its identifier.' })
  @ApiId('orderId')
  @ApiOkResponse({ type: Order, description: 'The order.', example: ORDER_EXAMPLE })
  getOrder(@Param('orderId') orderId: string, @RequestDeadline() deadline: number): Promise<string> {
    return this.orders.find(idOf(orderId), deadline);
  }

  @Patch(':orderId')
  @Operation({
    summary: 'Change the status of an order',
    description:
      'Changes the status of an order, and the status of its pet with it: `delivered` makes the pet `sold`, `cancelled` makes ' +
      'it `available` again. Setting the current status changes nothing. With `If-Match`, the order changes only if it ' +
      'still has that `ETag`.',
  })
  @ApiId('orderId')
  @ApiBody({
    type: OrderChangeBody,
    examples: { approve: { value: { status: CHANGED_ORDER_EXAMPLE.status } } },
  })
  @ApiOkResponse({ type: Order, description: 'The changed order.', example: CHANGED_ORDER_EXAMPLE })
  updateOrder(
    @Param('orderId') orderId: string,
    @Body(InputPipe) members: OrderChangeBody,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<string> {
    return this.orders.change({ id: idOf(orderId), members, ...conditions }, deadline);
  }
}
