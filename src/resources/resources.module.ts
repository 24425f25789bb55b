import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.service.js';
import { Records } from './records.js';

/** What pets, orders and categories have in common. */
@Global()
@Module({ providers: [Records, Idempotency], exports: [Records, Idempotency] })
export class ResourcesModule {}
