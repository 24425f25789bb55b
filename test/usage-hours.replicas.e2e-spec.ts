import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { Registry } from 'prom-client';
import { loadConfig } from '../src/config/config.js';
import { ConnectionPools } from '../src/database/connection-pools.js';
import { PrismaService } from '../src/database/prisma.service.js';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { LONG_DEADLINES } from './support/deadlines.js';
import { eventually } from './support/eventually.js';
import { issueKeys } from './support/issue-keys.js';
import { type Replica, startReplicas, stopReplicas } from './support/replicas.js';
import { type ApiResponse, send } from './support/send.js';
import { openTestPool } from './support/test-pool.js';

// A test starts several processes, some of them with a PostgreSQL of their own.
jest.setTimeout(180_000);

let database: TestDatabase;
let operator: Pool;

beforeEach(async () => {
  database = await createTestDatabase();
  operator = openTestPool(database.url, { max: 4 });
});
afterEach(async () => {
  await operator.end();
  await database.drop();
});

const outcomeOf = ({ status, code, headers }: ApiResponse): string => {
  if (code === 'rate_limit_exceeded') return 'limited';
  if (code === 'api_key_banned') return 'banned';
  if (code === 'api_key_suspended') return 'suspended';
  if (status === 401) return 'unauthorized';
  // The headers describe the address where nothing was decided about the key.
  if (status === 503)
    return String(headers['ratelimit-policy']).includes('address') ? 'undecided' : 'server_error';
  return status < 400 ? 'success' : 'client_error';
};

/** Requests by outcome. */
type Counts = Record<string, number>;

const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

async function stored(): Promise<Counts> {
  const { rows } = await operator.query<{ outcome: string; requests: number }>(
    'select outcome, sum(requests)::int as requests from api_key_usage_hours group by outcome',
  );
  return Object.fromEntries(rows.map(({ outcome, requests }) => [outcome, requests]));
}

describe('three replicas under a mixed load', () => {
  let replicas: readonly Replica[] = [];

  beforeEach(async () => {
    // Else the address of the revoked key would have its own 429.
    const environment = { ADDRESS_LIMIT_PER_MINUTE: '100000' };
    replicas = await startReplicas(3, { databaseUrl: database.url, environment });
  });
  afterEach(() => stopReplicas(replicas.slice(2)));

  it('count what clients receive, except the last interval of one that is killed, which a view shows', async () => {
    const keys = [
      ...(await issueKeys(operator, 3, { perMinute: 100_000, perDay: 1_000_000 })),
      ...(await issueKeys(operator, 1, { perMinute: 5, perDay: 1_000_000 })),
      ...(await issueKeys(operator, 2)),
    ].map(({ key }) => key);
    await operator.query(`select suspend_api_key(5), revoke_api_key(6)`);
    const requests = [{}, { path: '/v1/pets/9999' }, { path: '/v1/pets?limit=0' }, { path: '/elsewhere' }];

    /** Requests to every replica with every key, some at a time, and the responses of each replica. */
    const load = (): Promise<readonly (readonly ApiResponse[])[]> =>
      Promise.all(
        replicas.map(async ({ origin }) => {
          const responses: ApiResponse[] = [];
          for (let nth = 0; nth < 240; nth += 12) {
            const wave = Array.from({ length: 12 }, (_, of) =>
              send(origin, {
                key: keys[(nth + of) % keys.length] ?? '',
                ...requests[(nth + of) % requests.length],
              }),
            );
            responses.push(...(await Promise.all(wave)));
          }
          return responses;
        }),
      );
    const received: Counts = {};
    /** Of a busy machine: without a decision about the key, which may have been counted. */
    let undecided = 0;
    const receive = (responses: readonly ApiResponse[]): void => {
      for (const response of responses) {
        const outcome = outcomeOf(response);
        if (outcome === 'undecided') undecided += 1;
        else received[outcome] = (received[outcome] ?? 0) + 1;
      }
    };

    receive((await load()).flat());
    expect(Object.keys(received)).toEqual(
      expect.arrayContaining(['banned', 'client_error', 'limited', 'success', 'unauthorized']),
    );
    await eventually(async () => expect(await stored()).toEqual(received));

    const last = await load();
    receive(last.flat());
    process.kill(replicas[0]?.pid ?? 0, 'SIGKILL');
    await replicas[1]?.stop();
    await replicas[2]?.stop();
    const hours = await stored();
    const missing = sumOf(received) - sumOf(hours);
    expect(missing).toBeGreaterThanOrEqual(0);
    expect(missing).toBeLessThanOrEqual(last[0]?.length ?? 0);
    const lacking = (...outcomes: readonly string[]): number =>
      outcomes.reduce((sum, outcome) => sum + (received[outcome] ?? 0) - (hours[outcome] ?? 0), 0);
    const { rows } = await operator.query<{ admitted: number; refused: number }>(
      `select sum(admitted_missing)::int as admitted, sum(refused_missing)::int as refused from usage_hours_gaps`,
    );
    const [shown = { admitted: NaN, refused: NaN }] = rows;
    const beyond = [
      shown.admitted - lacking('success', 'client_error', 'server_error'),
      shown.refused - lacking('limited'),
    ];
    for (const count of beyond) expect(count).toBeGreaterThanOrEqual(0);
    expect(beyond.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(undecided);
  });
});

const decisionOf = (keyId: number): unknown => ({
  caller: { keyId: BigInt(keyId), planId: 'pro' },
  state: 'admitted',
  windows: [{ policy: 'minute', limit: 9, remaining: 8, resetAtMs: Date.UTC(2026, 10, 20, 12, 1) }],
});

describe('two replicas that write the same hours at once', () => {
  it('do not deadlock, and lose nothing', async () => {
    const config = loadConfig({});
    const replicas = Array.from({ length: 2 }, () => {
      const options = { ...config.database, ...LONG_DEADLINES, url: database.url };
      const prisma = new PrismaService(
        new ConnectionPools({ ...options, onConnectionLost: () => undefined }),
      );
      const warnings: unknown[] = [];
      const warn = (...warning: unknown[]): void => void warnings.push(warning);
      const recorder = new UsageRecorder(prisma, { nowMs: Date.now }, { warn }, new Registry());
      return { prisma, recorder, warnings };
    });
    const work = async ({ recorder }: (typeof replicas)[number], step: number): Promise<void> => {
      for (let round = 0; round < 30; round += 1) {
        // Each in an order of its own.
        for (let nth = 0; nth < 900; nth += 1) {
          const request = { decision: decisionOf((nth * step) % 900), routeConfig: {} };
          recorder.responded(
            request as unknown as FastifyRequest,
            { statusCode: 200, elapsedTime: 1 } as FastifyReply,
          );
        }
        await recorder.write();
      }
    };
    await Promise.all(replicas.map((replica, nth) => work(replica, [7, 899][nth] ?? 1)));
    expect(replicas.map(({ warnings }) => warnings)).toEqual([[], []]);
    expect(await stored()).toEqual({ success: 2 * 30 * 900 });
    const { rows } = await operator.query(
      `select deadlocks::int from pg_stat_database where datname = current_database()`,
    );
    expect(rows).toEqual([{ deadlocks: 0 }]);
    await Promise.all(replicas.map(({ prisma }) => prisma.close()));
  });
});
