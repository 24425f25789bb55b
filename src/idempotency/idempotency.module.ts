import { Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyRepository } from './idempotency.repository.js';

@Module({
  providers: [Idempotency, IdempotencyRepository],
  exports: [Idempotency],
})
export class IdempotencyModule {}
