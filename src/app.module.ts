import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AuthModule } from './auth/auth.module.js';
import { PrismaModule } from './prisma/prisma.module.js';
import type { PrismaService } from './prisma/prisma.service.js';
import { type Clock, HttpModule, type PublicUrl } from './http/http.module.js';
import { ErrorFilter } from './http/error.filter.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PetsModule } from './pets/pets.module.js';
import { StoreModule } from './store/store.module.js';
import { ThrottlingModule } from './throttling/throttling.module.js';
import { UsageModule } from './usage/usage.module.js';

export interface AppParts {
  readonly prisma: PrismaService;
  readonly publicUrl: PublicUrl;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

@Module({})
export class AppModule {
  static register({ prisma, publicUrl, clock, warn }: AppParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        PrismaModule.register(prisma, warn),
        HttpModule.register(publicUrl, clock),
        // The order of the guards: who asks, then whether the plan has a request left.
        AuthModule,
        ThrottlingModule,
        PetsModule,
        UsageModule,
        StoreModule,
        OpenApiModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: ErrorFilter }],
    };
  }
}
