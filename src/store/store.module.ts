import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../http/idempotency/idempotency.module.js';
import { InventoryController } from './inventory.controller.js';
import { InventoryRepository } from './inventory.repository.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [OrdersController, InventoryController],
  providers: [OrdersRepository, InventoryRepository],
})
export class StoreModule {}
