import { Global, Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';
import { UsageRecorder } from './usage-recorder.js';
import { UsageRepository } from './usage.repository.js';

/** What keys have used: counted by hour, and read by their callers. */
@Global()
@Module({
  controllers: [UsageController],
  providers: [UsageRepository, UsageRecorder],
  exports: [UsageRecorder],
})
export class UsageModule {}
