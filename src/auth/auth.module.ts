import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { PrismaService } from '../database/prisma.service.js';
import { Admission } from './admission/admission.js';
import { Clock, DatabaseClock } from './admission/clock.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { PLAN_THROTTLERS, PlanThrottlerGuard } from './plan-throttler.guard.js';

/** Admission, which decides about every request, and the guards that enforce its decisions. */
@Global()
@Module({
  imports: [ThrottlerModule.forRoot(PLAN_THROTTLERS)],
  providers: [
    {
      provide: DatabaseClock,
      inject: [PrismaService],
      useFactory: (prisma: PrismaService) => DatabaseClock.start(prisma),
    },
    { provide: Clock, useExisting: DatabaseClock },
    Admission,
    ApiKeyGuard,
    PlanThrottlerGuard,
  ],
  exports: [Clock, Admission, ApiKeyGuard, PlanThrottlerGuard],
})
export class AuthModule {}
