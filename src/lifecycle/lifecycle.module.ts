import { Module } from '@nestjs/common';
import { ManagementModule } from '../monitoring/management/management.module.js';
import { Housekeeping } from './housekeeping.js';
import { Shutdown } from './shutdown.js';
import { Startup } from './startup.js';

/** Startup, hourly housekeeping and shutdown. */
@Module({
  imports: [ManagementModule],
  providers: [Housekeeping, Startup, Shutdown],
})
export class LifecycleModule {}
