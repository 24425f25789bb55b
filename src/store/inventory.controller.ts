import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Operation } from '../http/operation.decorators.js';
import { RequestDeadline } from '../http/request.js';
import { Inventory, INVENTORY_EXAMPLE } from './inventory.dto.js';
import { InventoryRepository } from './inventory.repository.js';

@ApiTags('Store')
@Controller('v1/store/inventory')
export class InventoryController {
  constructor(private readonly inventory: InventoryRepository) {}

  @Get()
  @Operation({
    summary: 'Get the inventory',
    description: 'Returns the exact number of pets by status.',
  })
  @ApiOkResponse({
    type: Inventory,
    description: 'The number of pets by status.',
    example: INVENTORY_EXAMPLE,
  })
  async getInventory(@RequestDeadline() deadline: number): Promise<Inventory> {
    return await this.inventory.read(deadline);
  }
}
