import { Body, Controller, Get, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Preconditions, RequestPreconditions } from '../http/etag.js';
import { ApiErrors, ApiId, JsonText, Operation } from '../http/operation.decorators.js';
import { idIn, RequestDeadline } from '../http/request.js';
import { Paging } from '../http/pagination.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { type IdempotencyKey, RequestIdempotencyKey } from '../http/idempotency/idempotency-key.js';
import { Idempotency } from '../http/idempotency/idempotency.service.js';
import {
  CHANGED_ORDER_EXAMPLE,
  ListOrdersQuery,
  NewOrderBody,
  Order,
  ORDER_EXAMPLE,
  OrderChangeBody,
} from './orders.dto.js';
import { OrdersRepository } from './orders.repository.js';

@ApiTags('Store')
@ApiBearerAuth('apiKey')
@Controller('v1/store/orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
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
  @JsonText()
  async listOrders(
    @Query() query: ListOrdersQuery,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { limit, status, petId } = query;
    const paging = new Paging({ path: '/v1/store/orders', filter: { status, petId } }, query);
    const page = { fromId: paging.fromId, limit, status, petId };
    const { json, nextId } = await this.orders.list(page, deadline);
    reply.header('link', paging.links(nextId, this.config.publicUrl));
    return json;
  }

  @Post()
  @Operation({
    summary: 'Place an order',
    description:
      'Orders a pet that is `available` and makes it `pending`. Of simultaneous orders for the same pet, exactly one succeeds.',
  })
  @ApiBody({ type: NewOrderBody, examples: { order: { value: { petId: ORDER_EXAMPLE.petId } } } })
  @ApiCreatedResponse({ type: Order, description: 'The order.', example: ORDER_EXAMPLE })
  @ApiErrors('unknown_pet', 'pet_not_available')
  @JsonText()
  async placeOrder(
    @Body() { petId }: NewOrderBody,
    @RequestIdempotencyKey() key: IdempotencyKey | undefined,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const place = () => this.orders.place(petId, key, deadline);
    return await this.idempotency.respond(reply, '/v1/store/orders', key, deadline, place);
  }

  @Get(':orderId')
  @Operation({ summary: 'Get an order', description: 'Returns an order by its identifier.' })
  @ApiId('orderId')
  @ApiOkResponse({ type: Order, description: 'The order.', example: ORDER_EXAMPLE })
  @ApiErrors('order_not_found')
  @JsonText()
  async getOrder(@Param('orderId') orderId: string, @RequestDeadline() deadline: number): Promise<string> {
    return await this.orders.find(idIn(orderId, 'order_not_found'), deadline);
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
  @ApiErrors('order_not_found', 'order_transition_not_allowed')
  @JsonText()
  async updateOrder(
    @Param('orderId') orderId: string,
    @Body() { status }: OrderChangeBody,
    @RequestPreconditions() conditions: Preconditions,
    @RequestDeadline() deadline: number,
  ): Promise<string> {
    return await this.orders.change(idIn(orderId, 'order_not_found'), status, conditions, deadline);
  }
}
