import { Global, Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';
import { UsageRecorder } from './usage-recorder.js';
import { UsageRepository } from './usage.repository.js';

/** The usage of keys: counted by hour, and served to clients. */
@Global()
@Module({
  controllers: [UsageController],
  providers: [UsageRepository, UsageRecorder],
  exports: [UsageRecorder],
})
export class UsageModule {}
