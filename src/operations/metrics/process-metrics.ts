import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { Readiness } from '../management/readiness.js';
import { registerGauge } from './gauge.js';

/** The process itself: what Node tells, the release, and where it stands between start and stop. */
export function registerProcessMetrics(registry: Registry, readiness: Readiness, version: string): void {
  collectDefaultMetrics({ register: registry });
  const release = {
    name: 'petstore_build_info',
    help: 'Always 1; the labels tell the release.',
    labelNames: ['version', 'node'],
  } as const;
  registerGauge(registry, release, (gauge) => gauge.set({ version, node: process.version }, 1));
  const ready = { name: 'petstore_ready', help: '1 when /health/ready answers 200.' };
  registerGauge(registry, ready, async (gauge) => gauge.set((await readiness.check()).isReady ? 1 : 0));
  const draining = { name: 'petstore_draining', help: '1 from the signal to stop on.' };
  registerGauge(registry, draining, (gauge) => gauge.set(readiness.isDraining ? 1 : 0));
}
