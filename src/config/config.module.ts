import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Config } from './config.js';

/** Injects the `Config`. */
export const CONFIG = Symbol('CONFIG');

export type { Logger };

/** Injects the `Logger`, which is pino's. */
export const LOGGER = Symbol('LOGGER');

/** Injects the `AbortSignal` that is aborted when an OS signal interrupts startup. */
export const INTERRUPTED = Symbol('INTERRUPTED');

/** Configuration and logger exist before the application: a failed start needs them, too. */
export interface Environment {
  readonly config: Config;
  readonly logger: Logger;
  readonly interrupted?: AbortSignal;
}

@Global()
@Module({})
export class ConfigModule {
  static register({
    config,
    logger,
    interrupted = new AbortController().signal,
  }: Environment): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        { provide: INTERRUPTED, useValue: interrupted },
      ],
      exports: [CONFIG, LOGGER, INTERRUPTED],
    };
  }
}
