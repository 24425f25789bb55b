import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { registerGauge } from './gauge.js';

/** The connections to the database, as the pool counts them when somebody asks. */
export function registerPoolMetrics(registry: Registry, pool: () => Pool | undefined): void {
  const connections = {
    name: 'petstore_pool_connections',
    help: 'Open connections to the database.',
    labelNames: ['state'],
  } as const;
  registerGauge(registry, connections, (gauge) => {
    const { totalCount = 0, idleCount = 0 } = pool() ?? {};
    gauge.set({ state: 'idle' }, idleCount);
    gauge.set({ state: 'busy' }, totalCount - idleCount);
  });
  const waiting = { name: 'petstore_pool_waiting', help: 'What waits for a connection.' };
  registerGauge(registry, waiting, (gauge) => gauge.set(pool()?.waitingCount ?? 0));
  const max = {
    name: 'petstore_pool_connections_max',
    help: 'The most connections that this replica opens.',
  };
  registerGauge(registry, max, (gauge) => gauge.set(pool()?.options.max ?? 0));
}
