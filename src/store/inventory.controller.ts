import { Controller, Get } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { Operation } from '../http/route.decorators.js';
import { RequestDeadline } from '../http/request.js';
import { type Inventory, inventorySchema } from './inventory.schema.js';
import { InventoryRepository } from './inventory.repository.js';

@Controller('v1/store/inventory')
export class InventoryController {
  constructor(private readonly inventory: InventoryRepository) {}

  @Get()
  @Operation({
    tag: 'Store',
    summary: 'Count animals by status',
    description: 'How many animals there are of each status, exact at the moment of the answer.',
    success: 'The numbers.',
    example: { available: 128, pending: 4, sold: 61 },
  })
  @RouteSchema({ response: { 200: inventorySchema } })
  async getInventory(@RequestDeadline() deadline: number): Promise<Inventory> {
    return await this.inventory.read(deadline);
  }
}
