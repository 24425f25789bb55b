import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { CONFIG, INTERRUPTED, LOGGER, type Logger } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Database } from './database.js';
import { PrismaService } from './prisma.service.js';
import { warmUpOf, WarmUp } from './warm-up.js';

/** Opens the database for repositories, and warms it up for them before the port is bound. */
@Global()
@Module({})
export class PrismaModule {
  /** @param provider of `module`, created before the database is opened, which may include slow migrations */
  static openAfter(module: Type, provider: Type): DynamicModule {
    return {
      module: PrismaModule,
      imports: [module],
      providers: [
        {
          provide: Database,
          inject: [CONFIG, LOGGER, INTERRUPTED, provider],
          useFactory: ({ database }: Config, logger: Logger, interrupted: AbortSignal) =>
            Database.open(database, logger, interrupted),
        },
        { provide: PrismaService, inject: [Database], useFactory: ({ prisma }: Database) => prisma },
        {
          provide: WarmUp,
          inject: [PrismaService, LOGGER],
          useFactory: (prisma: PrismaService, logger: Logger) =>
            warmUpOf(prisma.pools, (message) => logger.warn(message)),
        },
      ],
      exports: [Database, PrismaService, WarmUp],
    };
  }
}
