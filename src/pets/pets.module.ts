import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../http/idempotency/idempotency.module.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [PetsController],
  providers: [PetsRepository],
})
export class PetsModule {}
