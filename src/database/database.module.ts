import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Database } from './database.js';

/** Gives repositories the database that the application was started with. */
@Global()
@Module({})
export class DatabaseModule {
  static register(database: Database): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: Database, useValue: database }],
      exports: [Database],
    };
  }
}
