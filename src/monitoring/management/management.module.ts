import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { CONFIG } from '../../config/config.module.js';
import { type Config, releaseVersion } from '../../config/config.js';
import { Dashboard } from '../dashboard/dashboard.js';
import { HealthController } from './health.controller.js';
import { ManagementServer } from './management-server.js';
import { registerPoolMetrics, registerProcessMetrics } from './process-metrics.js';
import { Readiness } from './readiness.js';

/** Health, metrics and the dashboard, on a port of their own. */
@Module({
  controllers: [HealthController],
  providers: [
    Readiness,
    { provide: ManagementServer, inject: [CONFIG, Registry, Readiness], useFactory: startManagement },
  ],
  exports: [ManagementServer, Readiness],
})
export class ManagementModule {}

async function startManagement(
  { managementPort, managementHost, dashboard }: Config,
  registry: Registry,
  readiness: Readiness,
): Promise<ManagementServer> {
  registerPoolMetrics(registry, readiness);
  registerProcessMetrics(registry, readiness, releaseVersion());
  const server = new ManagementServer(readiness, registry, new Dashboard(dashboard));
  await server.listen(managementPort, managementHost);
  return server;
}
