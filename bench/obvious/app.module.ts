import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import { type ExecutionContext, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { ApiKeyGuard, type RequestWithKey } from './api-key.guard.js';
import { OrdersController } from './orders.controller.js';
import { PetsController } from './pets.controller.js';
import { PrismaService } from './prisma.service.js';

const keyOf = (context: ExecutionContext): RequestWithKey['apiKey'] =>
  context.switchToHttp().getRequest<RequestWithKey>().apiKey;

@Module({
  imports: [
    ThrottlerModule.forRoot({
      throttlers: [
        { name: 'minute', ttl: 60_000, limit: (context) => keyOf(context).requestsPerMinute },
        { name: 'day', ttl: 86_400_000, limit: (context) => keyOf(context).requestsPerDay },
      ],
      getTracker: (request) => String((request as RequestWithKey).apiKey.id),
      // Else each operation would have limits of its own.
      generateKey: (_context, tracker, name) => `${name}:${tracker}`,
      storage: new ThrottlerStorageRedisService(new Redis(String(process.env['BENCH_REDIS']))),
    }),
  ],
  controllers: [PetsController, OrdersController],
  providers: [
    PrismaService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: ThrottlerGuard },
  ],
})
export class AppModule {}
