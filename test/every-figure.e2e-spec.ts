import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { Dashboard } from '../src/monitoring/dashboard/dashboard.js';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { issueKeys, type TestKey } from './support/issue-keys.js';
import { send } from './support/send.js';
import { startService, type TestService } from './support/service.js';
import { createTcpProxy, type TcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';

/** In which an outage belongs to no other minute than the rest. */
const NOON_MS = Date.UTC(2026, 10, 20, 12);

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let operator: Pool;
let dashboard: Dashboard;

beforeAll(async () => {
  database = await createTestDatabase();
  operator = openTestPool(database.url, { max: 2 });
  proxy = await createTcpProxy(database.url);
  service = await startService({
    databaseUrl: proxy.url,
    provokes503: true,
    clock: { nowMs: () => NOON_MS },
    environment: { BAN_AFTER_REFUSALS: '5', ADDRESS_LIMIT_PER_MINUTE: '10000' },
  });
  dashboard = new Dashboard({ isOn: true, hosts: [] });
  dashboard.serve(database.url, 'http://localhost:3000', () => []);
});
afterAll(async () => {
  await dashboard.close();
  await proxy.close();
  await service.close();
  await operator.end();
  await database.drop();
});

const REQUESTS = {
  listPets: { path: '/v1/pets?limit=1' },
  getInventory: { path: '/v1/store/inventory' },
  getPet: { path: '/v1/pets/99' },
  listOrders: { path: '/v1/store/orders?limit=0' },
  none: { path: '/v1/nothing' },
} as const;

type Operation = keyof typeof REQUESTS;

/** What became of a response of a key. */
function outcomeOf({ status, code }: { readonly status: number; readonly code: string | undefined }): string {
  if (status === 503) return 'undecided';
  if (status === 401) return 'unauthorized';
  if (code === 'api_key_banned') return 'banned';
  if (code === 'api_key_suspended') return 'suspended';
  if (status === 429) return 'limited';
  return status >= 400 ? 'client_error' : 'success';
}

interface Shown {
  readonly operation: string;
  readonly outcome: string;
  readonly requests: number;
}

const total = (all: readonly Shown[]): number => all.reduce((sum, { requests }) => sum + requests, 0);

/** What the page of a key shows by hour, and by operation. */
async function shownOf(
  id: bigint,
): Promise<{ readonly hours: readonly Shown[]; readonly operations: readonly Shown[] }> {
  const { body = '' } =
    (await dashboard.respond({ target: `/dashboard/data/key?range=35d&key=${id}`, host: 'localhost' })) ?? {};
  return (JSON.parse(body) as { view: Awaited<ReturnType<typeof shownOf>> }).view;
}

describe('the figures of the dashboard', () => {
  it('are what was sent, by key, operation and outcome, with an outage, a ban, a suspension and a revocation', async () => {
    const keys = await issueKeys(operator, 9, { perMinute: 10, perDay: 1000 });
    const sent = new Map<string, number>();
    const request = async ({ id, key }: TestKey, operation: Operation, times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1) {
        const figure = `${id} ${operation} ${outcomeOf(await send(service.origin, { key, ...REQUESTS[operation] }))}`;
        sent.set(figure, (sent.get(figure) ?? 0) + 1);
      }
    };
    const operations = Object.keys(REQUESTS) as Operation[];
    for (const [nth, key] of keys.entries())
      for (const [place, operation] of operations.entries())
        await request(key, operation, 1 + ((nth + place) % 4));
    const [first, second, third] = keys as [TestKey, TestKey, TestKey];
    await operator.query(`select suspend_api_key($1, lasting => '1000 years')`, [second.id]);
    await operator.query('select revoke_api_key($1)', [third.id]);
    for (const key of [first, second, third])
      for (const operation of operations) await request(key, operation, 3);
    await proxy.mode('close');
    // At once: each of them waits for the database in vain.
    await Promise.all(keys.flatMap((key) => operations.map((operation) => request(key, operation, 2))));
    await proxy.mode('pass');
    await eventually(async () =>
      expect((await service.prisma.$queryRawUnsafe<object[]>('select 1')).length).toBe(1),
    );
    await eventually(async () => {
      await service.app.get(UsageRecorder).write();
      expect(service.app.get(UsageRecorder).problems()).toEqual([]);
    });
    const shown: Record<string, number> = {};
    for (const { id } of keys) {
      const view = await shownOf(id);
      for (const { operation, outcome, requests } of view.operations)
        shown[`${id} ${operation} ${outcome}`] = requests;
      expect(total(view.hours)).toBe(total(view.operations));
    }
    expect(shown).toEqual(Object.fromEntries(sent));
    expect(Object.keys(shown).length).toBeGreaterThanOrEqual(100);
    expect(new Set(Object.keys(shown).map((figure) => figure.split(' ')[2]))).toEqual(
      new Set(['success', 'client_error', 'limited', 'banned', 'suspended', 'unauthorized', 'undecided']),
    );
  });
});
