import { type DynamicModule, Global, Module, type ModuleMetadata } from '@nestjs/common';
import type { InjectionToken } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../config/config.module.js';
import { Database, type OpenDatabaseOptions } from './database.js';
import { PrismaService } from './prisma.service.js';
import { warmUpOf, WarmUp } from './warm-up.js';

interface PrismaModuleOptions<Injected extends readonly unknown[]> {
  readonly imports?: ModuleMetadata['imports'];
  readonly inject: readonly InjectionToken[];
  readonly useFactory: (...injected: Injected) => OpenDatabaseOptions;
}

/** Opens the database for repositories, and warms it up for them before the port is bound. */
@Global()
@Module({})
export class PrismaModule {
  static registerAsync<Injected extends readonly unknown[]>({
    imports = [],
    inject,
    useFactory,
  }: PrismaModuleOptions<Injected>): DynamicModule {
    return {
      module: PrismaModule,
      imports,
      providers: [
        {
          provide: Database,
          inject: [...inject],
          useFactory: (...injected: Injected) => Database.open(useFactory(...injected)),
        },
        { provide: PrismaService, inject: [Database], useFactory: ({ prisma }: Database) => prisma },
        {
          provide: WarmUp,
          inject: [PrismaService, LOGGER],
          useFactory: (prisma: PrismaService, logger: Logger) =>
            warmUpOf(prisma, (message) => logger.warn(message)),
        },
      ],
      exports: [Database, PrismaService],
    };
  }
}
