import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { BatchingModule } from './batching/batching.module.js';
import { ConfigModule, type Environment } from './config/config.module.js';
import { HttpModule } from './http/http.module.js';
import { LifecycleModule } from './lifecycle/lifecycle.module.js';
import { ManagementModule } from './management/management.module.js';
import { ManagementServer } from './management/management-server.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { QueryParametersGuard } from './http/query-parameters.guard.js';
import { PetsModule } from './pets/pets.module.js';
import { PrismaModule } from './prisma/prisma.module.js';
import { StoreModule } from './store/store.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { PlanThrottlerGuard } from './throttling/plan-throttler.guard.js';
import { ThrottlingModule } from './throttling/throttling.module.js';
import { UsageModule } from './usage/usage.module.js';

@Module({})
export class AppModule {
  static register(environment: Environment): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(environment),
        TelemetryModule,
        ManagementModule,
        // A supervisor that gets no response from the management port during migrations would end the start.
        PrismaModule.openAfter(ManagementModule, ManagementServer),
        BatchingModule,
        HttpModule,
        AuthModule,
        ThrottlingModule,
        PetsModule,
        StoreModule,
        UsageModule,
        OpenApiModule,
        LifecycleModule,
      ],
      // The guards of every route, in their order.
      providers: [
        { provide: APP_GUARD, useExisting: ApiKeyGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        { provide: APP_GUARD, useExisting: QueryParametersGuard },
      ],
    };
  }
}
