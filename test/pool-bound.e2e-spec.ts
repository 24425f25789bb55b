import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Dashboard } from '../src/monitoring/dashboard/dashboard.js';
import { Readiness } from '../src/monitoring/management/readiness.js';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { holdOpen } from './support/operators.js';
import { send } from './support/send.js';
import { startService, type TestService } from './support/service.js';

const POOL_MAX = 6;

let service: TestService;
let key: string;
let dashboard: Dashboard;
const readiness = new Readiness();

beforeAll(async () => {
  service = await startService({ environment: { DATABASE_POOL_MAX: String(POOL_MAX) }, provokes503: true });
  ({ key } = await service.issueKey());
  dashboard = new Dashboard({ isOn: true, hosts: [] });
  dashboard.serve(service.databaseUrl, 'http://localhost:3000', () => []);
  readiness.serve(service.prisma.pools);
});
afterAll(async () => {
  readiness.drain();
  await dashboard.close();
  await service.close();
});

/** The most sessions of the service that the server had at a time while work went on. */
async function mostSessionsDuring(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let most = 0;
  const watched = (async () => {
    while (!isOver) {
      const { rows } = await service.pool.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and application_name in ('petstore', 'petstore dashboard')`,
      );
      most = Math.max(most, rows[0]?.count ?? 0);
      await delay(2);
    }
  })();
  await work().finally(() => (isOver = true));
  await watched;
  return most;
}

/** Reads and writes of 60 clients, with all that connects besides requests. */
async function everything(): Promise<void> {
  const post = (nth: number) =>
    service.fetch('/v1/pets', {
      key,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Pet ${nth}`, categoryId: nth }),
    });
  await Promise.all([
    ...Array.from({ length: 30 }, () => send(service.origin, { key })),
    ...Array.from({ length: 30 }, (_, nth) => post(nth)),
    ...['summary', 'hours', 'attention', 'keys'].map((name) =>
      dashboard.respond({ target: `/dashboard/data/${name}`, host: 'localhost' }),
    ),
    readiness.check(),
    service.app.get(UsageRecorder).write(),
  ]);
}

describe('the sessions of a replica', () => {
  it('are never more than DATABASE_POOL_MAX, and one for an open dashboard', async () => {
    const most = await mostSessionsDuring(async () => {
      for (let round = 0; round < 5; round += 1) await everything();
      // Statements time out, what holds the lock is looked for, and connections are replaced.
      const lock = await holdOpen(service.databaseUrl, 'lock table pets in access exclusive mode', []);
      await everything();
      await lock.stop();
      await service.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'petstore'`,
      );
      for (let round = 0; round < 5; round += 1) await everything();
    });
    expect(most).toBeLessThanOrEqual(POOL_MAX + 1);
    expect(most).toBeGreaterThan(POOL_MAX - 2);
  });
});
