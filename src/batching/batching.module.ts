import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { BATCH_OBSERVER, Batching, type BatchObserver } from './batching.js';

@Global()
@Module({ providers: [Batching], exports: [Batching] })
export class BatchingModule {
  /** @param observer a provider of a global module */
  static observedBy(observer: Type<BatchObserver>): DynamicModule {
    return { module: BatchingModule, providers: [{ provide: BATCH_OBSERVER, useExisting: observer }] };
  }
}
