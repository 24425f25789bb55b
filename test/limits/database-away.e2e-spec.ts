import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Answer, ask, tally } from '../support/ask.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { issueKeys } from '../support/issue-keys.js';
import { processTimeMs } from '../support/process-time.js';
import { startService, type TestService } from '../support/service.js';
import { miscopiedKey, newAddress } from '../support/strangers.js';
import { createTcpProxy, type TcpProxy, type TcpProxyMode } from '../support/tcp-proxy.js';
import { openTestPool } from '../support/test-pool.js';

const ANSWERED_MS = 2000;
/** Requests one after another that fail before the first success. A lost connection that is used costs one of them. */
const FAILED_MAX = 4;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let key: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  service = await startService({ databaseUrl: proxy.url, environment: { TRUST_PROXY: 'loopback' } });
  // Not by way of the proxy, whose connections are counted.
  const operator = openTestPool(database.url, { max: 1 });
  key = (await issueKeys(operator, 1, { perMinute: 1_000_000, perDay: 10_000_000 }))[0]?.key ?? '';
  await operator.end();
  await openAllConnections();
});

afterEach(async () => {
  await proxy.close();
  await service.close();
  await database.drop();
});

describe('while the database is away', () => {
  it.each<TcpProxyMode>(['refuse', 'cut', 'black-hole', 'mute'])(
    '503 within two seconds, nothing charged to the address, and all heals by itself (%s)',
    async (mode) => {
      const address = newAddress();
      await proxy.mode(mode);
      // Those who come later find other connections gone than the first.
      const answers = [...(await askMany(30, address)), ...(await askMany(30, address))];
      expect(tally(answers)).toEqual({ '503 service_unavailable': 60 });
      for (const answer of answers) {
        expect(answer.ms).toBeLessThan(ANSWERED_MS);
        expect(answer.retryAfterSeconds).toBeGreaterThanOrEqual(1);
        expect(answer.resetSeconds).toBeGreaterThan(answer.atSeconds);
        expect(answer).toMatchObject({
          limit: 60,
          remaining: 60,
          headers: { 'ratelimit-policy': '"address";q=60;w=60' },
        });
      }

      await proxy.mode('pass');
      await expectHealed();
      expect(tally(await askMany(30, address))).toEqual({ 200: 30 });
    },
  );

  it('who shows no key, or none that can be one, waits for nobody', async () => {
    const address = newAddress();
    await proxy.mode('black-hole');
    const answers = await Promise.all(
      [...Array.from({ length: 20 }, () => ''), 'Basic xyz', `Bearer ${miscopiedKey()}`].map(
        (authorization) => timed(address, { authorization }),
      ),
    );
    expect(tally(answers)).toEqual({ '401 missing_api_key': 21, '401 invalid_api_key': 1 });
    // Those who wait for the database wait for a second and a half.
    for (const { ms } of answers) expect(ms).toBeLessThan(1000);
  });

  it('a server that moved without a word costs one time-out, not one for each open connection', async () => {
    // One less: the probe that looks for lost connections has none open until there is one to look for.
    expect(proxy.connections).toBe(service.config.database.poolMax - 1);
    await proxy.mode('strand');
    await expectHealed();
  });
});

/** As many as the pools may hold, so that each test begins with the most that can break. */
async function openAllConnections(): Promise<void> {
  const clients = await Promise.all(
    service.prisma.connections.all.flatMap((pool) =>
      Array.from({ length: pool.options.max }, () => pool.connect()),
    ),
  );
  for (const client of clients) client.release();
}

interface TimedAnswer extends Answer {
  readonly ms: number;
  /** When it was asked, in Unix seconds. */
  readonly atSeconds: number;
}

async function timed(
  address: string,
  credentials = { authorization: `Bearer ${key}` },
): Promise<TimedAnswer> {
  const atSeconds = Math.floor(Date.now() / 1000);
  const begunAt = processTimeMs();
  const answer = await ask(service.origin, { headers: { 'x-forwarded-for': address, ...credentials } });
  return { ...answer, ms: processTimeMs() - begunAt, atSeconds };
}

const askMany = (times: number, address: string): Promise<TimedAnswer[]> =>
  Promise.all(Array.from({ length: times }, () => timed(address)));

async function expectHealed(): Promise<void> {
  let failed = 0;
  await eventually(async () => {
    const { status } = await timed(newAddress());
    if (status === 503) failed += 1;
    expect(status).toBe(200);
  });
  expect(failed).toBeLessThanOrEqual(FAILED_MAX);
}
