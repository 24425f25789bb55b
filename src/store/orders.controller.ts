import { Body, Controller, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import { parseInt64 } from '../common/int64.js';
import { RequestIfMatch } from '../common/etag.js';
import { JsonText, Operation } from '../common/route.decorators.js';
import { RequestDeadline } from '../common/request.js';
import { Paging } from '../common/pagination.js';
import { PublicUrl } from '../common/public-url.js';
import { asAnswered, Idempotency } from '../idempotency/idempotency.js';
import { type Claim, RequestClaim } from '../idempotency/claim.js';
import { ListOrdersQuery, NewOrderBody, OrderChangeBody } from './orders.dto.js';
import { CHANGED_ORDER_EXAMPLE, ORDER_EXAMPLE, orderSchema, ordersSchema } from './order.schema.js';
import type { Order } from './order.js';
import { OrdersRepository } from './orders.repository.js';

@Controller('v1/store/orders')
export class OrdersController {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly idempotency: Idempotency,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  @Operation({
    tag: 'Store',
    summary: 'List orders',
    description:
      'Returns a page of orders, ordered by `id`. Follow the `next` link in the `Link` header until there is none.',
    success: 'A page of orders, which may be empty.',
    example: [ORDER_EXAMPLE],
    query: ListOrdersQuery,
  })
  @RouteSchema({ response: { 200: ordersSchema } })
  @JsonText()
  async listOrders(
    @Query() query: ListOrdersQuery,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const { status } = query;
    const paging = new Paging({ path: '/v1/store/orders', filter: { status } }, query);
    const { json, nextId } = await this.orders.list(
      { fromId: paging.fromId, limit: query.limit, status },
      deadline,
    );
    reply.header('link', paging.links(nextId, this.publicUrl));
    return json;
  }

  @Post()
  @Operation({
    tag: 'Store',
    summary: 'Place an order',
    description:
      'Orders a pet that is `available` and makes it `pending`. Of simultaneous orders for the same pet, exactly one succeeds.',
    success: 'The order.',
    example: ORDER_EXAMPLE,
    body: NewOrderBody,
    requestExample: { petId: ORDER_EXAMPLE.petId },
    codes: ['unknown_pet', 'pet_not_available'],
  })
  @RouteSchema({ response: { 201: orderSchema } })
  @JsonText()
  async placeOrder(
    @Body() { petId }: NewOrderBody,
    @RequestClaim() claim: Claim | undefined,
    @RequestDeadline() deadline: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Order | string> {
    if (claim === undefined) {
      const order = await this.orders.place(petId, deadline);
      if (typeof order === 'string') throw new ApiError(order);
      reply.header('location', this.locationOf(order.id));
      return order;
    }
    const created = await this.idempotency.once(claim, deadline, () =>
      this.orders.placeOnce(petId, claim, deadline),
    );
    reply.header('location', this.locationOf(created.id));
    return asAnswered(reply, created);
  }

  @Get(':orderId')
  @Operation({
    tag: 'Store',
    summary: 'Get an order',
    description: 'Returns an order by its identifier.',
    success: 'The order.',
    example: ORDER_EXAMPLE,
    codes: ['order_not_found'],
  })
  @RouteSchema({ response: { 200: orderSchema } })
  @JsonText()
  async getOrder(@Param('orderId') orderId: string, @RequestDeadline() deadline: number): Promise<string> {
    const id = parseInt64(orderId);
    const order = id === undefined ? undefined : await this.orders.find(id, deadline);
    if (order === undefined) throw new ApiError('order_not_found');
    return order;
  }

  @Patch(':orderId')
  @Operation({
    tag: 'Store',
    summary: 'Change the status of an order',
    description:
      'Changes the status of an order, and the status of its pet with it: `delivered` makes the pet `sold`, `cancelled` makes ' +
      'it `available` again. Setting the current status changes nothing. With `If-Match`, the order changes only if it ' +
      'still has that `ETag`.',
    success: 'The changed order.',
    example: CHANGED_ORDER_EXAMPLE,
    body: OrderChangeBody,
    requestExample: { status: CHANGED_ORDER_EXAMPLE.status },
    codes: ['order_not_found', 'order_transition_not_allowed'],
  })
  @RouteSchema({ response: { 200: orderSchema } })
  @JsonText()
  async updateOrder(
    @Param('orderId') orderId: string,
    @Body() { status }: OrderChangeBody,
    @RequestIfMatch() ifMatch: readonly string[] | undefined,
    @RequestDeadline() deadline: number,
  ): Promise<string> {
    const id = parseInt64(orderId);
    const order = id === undefined ? undefined : await this.orders.change({ id, status, ifMatch }, deadline);
    if (order === undefined) throw new ApiError('order_not_found');
    if (typeof order === 'string') throw new ApiError(order);
    if (order.status !== status) {
      throw new ApiError(
        'order_transition_not_allowed',
        `The order is ${order.status} and cannot become ${status}.`,
      );
    }
    return order.json;
  }

  private locationOf(id: bigint): string {
    return this.publicUrl.to(`/v1/store/orders/${id}`);
  }
}
