import {
  Body,
  ConflictException,
  Controller,
  Get,
  NotFoundException,
  Param,
  ParseIntPipe,
  Patch,
  Post,
} from '@nestjs/common';
import { IsIn, IsInt } from 'class-validator';
import type { Order, OrderStatus } from '../../src/generated/prisma/client.js';
import { PrismaService } from './prisma.service.js';

class PlaceOrderBody {
  @IsInt()
  petId!: number;
}

class ChangeOrderBody {
  @IsIn(['placed', 'approved', 'delivered', 'cancelled'])
  status!: OrderStatus;
}

@Controller('v1/store/orders')
export class OrdersController {
  constructor(private readonly prisma: PrismaService) {}

  @Get(':orderId')
  async find(@Param('orderId', ParseIntPipe) id: number): Promise<object> {
    const order = await this.prisma.order.findUnique({ where: { id } });
    if (order === null) throw new NotFoundException();
    return toResponse(order);
  }

  /** Triggers check and change the status of the pet. */
  @Post()
  async place(@Body() { petId }: PlaceOrderBody): Promise<object> {
    const order = await this.prisma.order.create({ data: { petId } }).catch((cause: unknown) => {
      throw new ConflictException('The pet is not available.', { cause });
    });
    return toResponse(order);
  }

  /** Triggers check the transition, and change the pet. */
  @Patch(':orderId')
  async change(
    @Param('orderId', ParseIntPipe) id: number,
    @Body() { status }: ChangeOrderBody,
  ): Promise<object> {
    const order = await this.prisma.order
      .update({ where: { id }, data: { status } })
      .catch((cause: unknown) => {
        throw new ConflictException('The order cannot change.', { cause });
      });
    return toResponse(order);
  }
}

const toResponse = ({ id, petId, status, placedAt, updatedAt }: Order): object => ({
  id: Number(id),
  petId: Number(petId),
  status,
  placedAt,
  updatedAt,
});
