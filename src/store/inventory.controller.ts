import { Controller, Get } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { Operation } from '../http/route.decorators.js';
import { RequestDeadline } from '../http/request.js';
import { type Inventory, InventoryRepository } from './inventory.repository.js';

const inventorySchema = {
  title: 'Inventory',
  description: 'How many animals there are of each status; those without one are in none.',
  type: 'object',
  properties: {
    available: { type: 'integer', format: 'int64', description: 'Animals that can be ordered.' },
    pending: { type: 'integer', format: 'int64', description: 'Animals that are spoken for.' },
    sold: { type: 'integer', format: 'int64', description: 'Animals that are sold.' },
  },
  required: ['available', 'pending', 'sold'],
};

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
