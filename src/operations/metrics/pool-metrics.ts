import type { Pool } from 'pg';
import type { Registry } from 'prom-client';
import { registerGauge } from './gauge.js';

/** The connections to the database, as the pools count them together when somebody asks. */
export function registerPoolMetrics(registry: Registry, pools: () => readonly Pool[]): void {
  const sum = (of: (pool: Pool) => number): number => pools().reduce((total, pool) => total + of(pool), 0);
  const connections = {
    name: 'petstore_pool_connections',
    help: 'Open connections to the database.',
    labelNames: ['state'],
  } as const;
  registerGauge(registry, connections, (gauge) => {
    gauge.set(
      { state: 'idle' },
      sum((pool) => pool.idleCount),
    );
    gauge.set(
      { state: 'busy' },
      sum((pool) => pool.totalCount - pool.idleCount),
    );
  });
  const waiting = { name: 'petstore_pool_waiting', help: 'What waits for a connection.' };
  registerGauge(registry, waiting, (gauge) => gauge.set(sum((pool) => pool.waitingCount)));
  const max = {
    name: 'petstore_pool_connections_max',
    help: 'The most connections that the pools of this replica open.',
  };
  registerGauge(registry, max, (gauge) => gauge.set(sum((pool) => pool.options.max)));
}
