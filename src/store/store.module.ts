import { Module } from '@nestjs/common';
import { InventoryController } from './inventory.controller.js';
import { InventoryRepository } from './inventory.repository.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';

@Module({
  controllers: [OrdersController, InventoryController],
  providers: [OrdersRepository, InventoryRepository],
})
export class StoreModule {}
