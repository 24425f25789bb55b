import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { PlanThrottlerGuard } from './plan-throttler.guard.js';

@Module({
  // The plans are in the database. The throttler wants an entry of its own: this one would let nobody pass.
  imports: [ThrottlerModule.forRoot([{ name: 'plan', limit: 0, ttl: 60_000 }])],
  providers: [{ provide: APP_GUARD, useClass: PlanThrottlerGuard }],
})
export class ThrottlingModule {}
