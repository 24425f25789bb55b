import { type DynamicModule, Global, Module } from '@nestjs/common';
import { PrismaService } from './prisma.service.js';

/** Gives repositories the database that the application was started with. */
@Global()
@Module({})
export class PrismaModule {
  static register(prisma: PrismaService): DynamicModule {
    return {
      module: PrismaModule,
      providers: [{ provide: PrismaService, useValue: prisma }],
      exports: [PrismaService],
    };
  }
}
