import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { ApiKeyGuard } from './auth/api-key.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { BatchingModule } from './batching/batching.module.js';
import { CategoriesModule } from './categories/categories.module.js';
import { ConfigModule, type Environment } from './config/config.module.js';
import { HttpModule } from './http/http.module.js';
import { LifecycleModule } from './lifecycle/lifecycle.module.js';
import { ManagementModule } from './monitoring/management/management.module.js';
import { ManagementServer } from './monitoring/management/management-server.js';
import { ObserversModule } from './observers.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { QueryParametersGuard } from './http/query-parameters.guard.js';
import { ResourcesModule } from './resources/resources.module.js';
import { PetsModule } from './pets/pets.module.js';
import { PrismaModule } from './database/prisma.module.js';
import { StoreModule } from './store/store.module.js';
import { TelemetryModule } from './monitoring/telemetry/telemetry.module.js';
import { PlanThrottlerGuard } from './auth/plan-throttler.guard.js';
import { UsageModule } from './usage/usage.module.js';

@Module({})
export class AppModule {
  static register(environment: Environment): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.register(environment),
        // Runs each method with @Cron.
        ScheduleModule.forRoot(),
        TelemetryModule,
        ManagementModule,
        // Without a response from the management port during migrations, a supervisor kills the process.
        PrismaModule.openAfter(ManagementModule, ManagementServer),
        ObserversModule,
        BatchingModule,
        AuthModule,
        HttpModule,
        ResourcesModule,
        PetsModule,
        CategoriesModule,
        StoreModule,
        UsageModule,
        OpenApiModule,
        LifecycleModule,
      ],
      // The guards of every route, in order.
      providers: [
        { provide: APP_GUARD, useExisting: ApiKeyGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        { provide: APP_GUARD, useExisting: QueryParametersGuard },
      ],
    };
  }
}
