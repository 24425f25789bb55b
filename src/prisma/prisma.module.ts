import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PrismaService } from './prisma.service.js';
import { warmUpOf, WarmUp } from './warm-up.js';

/** Gives repositories the database that the application was started with, and warms it up for them before the port is bound. */
@Global()
@Module({})
export class PrismaModule {
  static register(prisma: PrismaService, warn: (message: string) => void): DynamicModule {
    return {
      module: PrismaModule,
      providers: [
        { provide: PrismaService, useValue: prisma },
        { provide: WarmUp, useFactory: () => warmUpOf(prisma, warn) },
      ],
      exports: [PrismaService, WarmUp],
    };
  }
}
