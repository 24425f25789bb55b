import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';
import { UsageRepository } from './usage.repository.js';

@Module({
  controllers: [UsageController],
  providers: [UsageRepository],
})
export class UsageModule {}
