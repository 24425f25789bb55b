import { Global, Module } from '@nestjs/common';
import { Batching } from './batching.js';

@Global()
@Module({ providers: [Batching], exports: [Batching] })
export class BatchingModule {}
