import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type Answer, ask, tally } from '../support/ask.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { startService, type TestService } from '../support/service.js';
import { miscopiedKey, newAddress } from '../support/strangers.js';
import { createTcpProxy, type TcpProxy, type TcpProxyMode } from '../support/tcp-proxy.js';

jest.setTimeout(60_000);

/** The service answers within 2 s; the rest is for a machine that is busy with other tests. */
const ANSWERED_MS = 2500;
/** The first success comes when what was under way has failed, at the latest: 1.5 s, and the same for the machine. */
const HEALED_MS = 4000;

let database: TestDatabase;
let proxy: TcpProxy;
let service: TestService;
let key: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  service = await startService({ databaseUrl: proxy.url, environment: { TRUST_PROXY: 'loopback' } });
  ({ key } = await service.issueKey());
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
    service.database.pools.flatMap((pool) => Array.from({ length: pool.options.max }, () => pool.connect())),
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
  const begunAt = performance.now();
  const answer = await ask(service.origin, { headers: { 'x-forwarded-for': address, ...credentials } });
  return { ...answer, ms: performance.now() - begunAt, atSeconds };
}

const askMany = (times: number, address: string): Promise<TimedAnswer[]> =>
  Promise.all(Array.from({ length: times }, () => timed(address)));

async function expectHealed(): Promise<void> {
  const begunAt = performance.now();
  await eventually(async () => expect(await timed(newAddress())).toMatchObject({ status: 200 }));
  expect(performance.now() - begunAt).toBeLessThan(HEALED_MS);
}
