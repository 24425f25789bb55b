import { Body, ConflictException, Controller, Post } from '@nestjs/common';
import { IsInt } from 'class-validator';
import type { Order } from '../../src/generated/prisma/client.js';
import { PrismaService } from './prisma.service.js';

class PlaceOrderBody {
  @IsInt()
  petId!: number;
}

@Controller('v1/store/orders')
export class OrdersController {
  constructor(private readonly prisma: PrismaService) {}

  /** Triggers check and change the status of the pet. */
  @Post()
  async place(@Body() { petId }: PlaceOrderBody): Promise<object> {
    const order = await this.prisma.order.create({ data: { petId } }).catch((cause: unknown) => {
      throw new ConflictException('The pet is not available.', { cause });
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
