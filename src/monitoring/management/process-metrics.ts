import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { Readiness } from './readiness.js';

/** Metrics of the process: those of Node.js, the release, and whether it is ready or draining. */
export function registerProcessMetrics(registry: Registry, readiness: Readiness, version: string): void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'petstore_build_info',
    help: 'Always 1. The labels name the release.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1);
  const ready: Gauge = new Gauge({
    name: 'petstore_ready',
    help: '1 if /health/ready reports 200, else 0.',
    registers,
    collect: async () => ready.set((await readiness.check()).isReady ? 1 : 0),
  });
  const draining: Gauge = new Gauge({
    name: 'petstore_draining',
    help: '1 while the service is stopping, else 0.',
    registers,
    collect: () => draining.set(readiness.isDraining ? 1 : 0),
  });
}

/** The connections to the database, as the pools count them when metrics are read. */
export function registerPoolMetrics(registry: Registry, readiness: Readiness): void {
  const registers = [registry];
  const sum = (of: (pool: Pool) => number): number =>
    (readiness.pools?.all ?? []).reduce((total, pool) => total + of(pool), 0);
  const connections = new Gauge({
    name: 'petstore_pool_connections',
    help: 'Open connections to the database.',
    labelNames: ['state'],
    registers,
    collect() {
      const idle = sum((pool) => pool.idleCount);
      connections.set({ state: 'idle' }, idle);
      connections.set({ state: 'busy' }, sum((pool) => pool.totalCount) - idle);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'petstore_pool_waiting',
    help: 'Statements waiting for a permit or a connection; each batch counts once.',
    registers,
    collect: () => waiting.set(readiness.pools?.waiting ?? 0),
  });
  const max: Gauge = new Gauge({
    name: 'petstore_pool_connections_max',
    help: 'The maximum number of connections of this replica.',
    registers,
    collect: () => max.set(sum((pool) => pool.options.max)),
  });
}
