import { Controller, Get } from '@nestjs/common';
import { RouteSchema } from '@nestjs/platform-fastify';
import { Operation } from '../common/route.decorators.js';
import { RequestDeadline } from '../common/request.js';
import { type Inventory, InventoryRepository } from './inventory.repository.js';

const inventorySchema = {
  title: 'Inventory',
  description: 'The number of pets by status. Pets without a status are not counted.',
  type: 'object',
  properties: {
    available: { type: 'integer', format: 'int64', description: 'Pets that can be ordered.' },
    pending: { type: 'integer', format: 'int64', description: 'Pets that are reserved.' },
    sold: { type: 'integer', format: 'int64', description: 'Pets that are sold.' },
  },
  required: ['available', 'pending', 'sold'],
};

@Controller('v1/store/inventory')
export class InventoryController {
  constructor(private readonly inventory: InventoryRepository) {}

  @Get()
  @Operation({
    tag: 'Store',
    summary: 'Get the inventory',
    description: 'Returns the exact number of pets by status.',
    success: 'The number of pets by status.',
    example: { available: 128, pending: 4, sold: 61 },
  })
  @RouteSchema({ response: { 200: inventorySchema } })
  async getInventory(@RequestDeadline() deadline: number): Promise<Inventory> {
    return await this.inventory.read(deadline);
  }
}
