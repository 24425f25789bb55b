import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { openTestPool } from '../../../test/support/test-pool.js';
import { registerPoolMetrics } from './process-metrics.js';
import { Readiness } from './readiness.js';
import { servingPools } from '../../../test/support/serving-pools.js';

it('count statements that wait for a permit as those that wait for a connection', async () => {
  const registry = new Registry();
  const readiness = new Readiness();
  registerPoolMetrics(registry, readiness);
  expect(await registry.metrics()).toMatch(/^petstore_pool_waiting 0$/m);
  const main = openTestPool('postgresql://127.0.0.1/petstore', { max: 8 });
  readiness.serve({ ...servingPools(main), waiting: 3 });
  expect(await registry.metrics()).toMatch(/^petstore_pool_waiting 3$/m);
  expect(await registry.metrics()).toMatch(/^petstore_pool_connections_max 8$/m);
  readiness.drain();
  await main.end();
});
