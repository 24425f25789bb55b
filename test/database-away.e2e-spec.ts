import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { Admission } from '../src/auth/admission/admission.js';
import { type ApiResponse, send, tally } from './support/send.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { issueKeys, ROOMY } from './support/issue-keys.js';
import { processTimeMs } from './support/process-time.js';
import { type Replica, startReplica } from './support/replicas.js';
import { startService, type TestService } from './support/service.js';
import { miscopiedKey, newAddress } from './support/unknown-keys.js';
import { createTcpProxy, type TcpProxy, type TcpProxyMode } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';
import { sendRawUpTo } from './support/wire.js';

const WITHIN_MS = 2000;
/** Requests one after another that fail before the first success. A lost connection that is used costs one of them. */
const FAILED_MAX = 4;

let database: TestDatabase;
let proxy: TcpProxy;
let key: string;

beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await createTcpProxy(database.url);
  // Not through the proxy, whose connections are counted.
  const operator = openTestPool(database.url, { max: 1 });
  key = (await issueKeys(operator, 1, ROOMY))[0]?.key ?? '';
  await operator.end();
});
afterEach(() => database.drop());

describe('while the database is away', () => {
  let service: TestService;

  beforeEach(async () => {
    const environment = { TRUST_PROXY: 'loopback' };
    service = await startService({ databaseUrl: proxy.url, environment, provokes503: true });
  });
  afterEach(async () => {
    await proxy.close();
    await service.close();
  });

  it.each<TcpProxyMode>(['close', 'cut', 'black-hole', 'mute'])(
    '503 within two seconds, nothing charged to the address, and all heals by itself (%s)',
    async (mode) => {
      await openAllConnections();
      const address = newAddress();
      await proxy.mode(mode);
      // The second thirty find other connections lost than the first.
      const responses = [...(await sendMany(30, address)), ...(await sendMany(30, address))];
      expect(tally(responses)).toEqual({ '503 service_unavailable': 60 });
      for (const response of responses) {
        expect(response.ms).toBeLessThan(WITHIN_MS);
        expect(response.retryAfterSeconds).toBeGreaterThanOrEqual(1);
        expect(response.resetSeconds).toBeGreaterThan(response.sentAtSeconds);
        const headers = { 'ratelimit-policy': '"address";q=60;w=60' };
        expect(response).toMatchObject({ limit: 60, remaining: 60, headers });
      }
      await proxy.mode('pass');
      await expectHealed();
      expect(tally(await sendMany(30, address))).toEqual({ 200: 30 });
    },
  );

  it('a request without a key, or with a malformed one, does not wait', async () => {
    const address = newAddress();
    await proxy.mode('black-hole');
    const responses = await Promise.all(
      [...Array.from({ length: 20 }, () => ''), 'Basic xyz', `Bearer ${miscopiedKey()}`].map(
        (authorization) => sendTimed(address, { authorization }),
      ),
    );
    expect(tally(responses)).toEqual({ '401 missing_api_key': 21, '401 invalid_api_key': 1 });
    // A request that waits for the database waits for a second and a half.
    for (const { ms } of responses) expect(ms).toBeLessThan(1000);
  });

  it('a server that moved silently costs one time-out, not one per open connection', async () => {
    await openAllConnections();
    // One less: the probe that looks for lost connections has none open until there is one to look for.
    expect(proxy.connections).toBe(service.config.database.poolMax - 1);
    await proxy.mode('strand');
    await expectHealed();
  });

  it('a bounded queue waits: past it a request is rejected at once', async () => {
    const admission = service.app.get(Admission);
    const request = { method: 'GET', headers: { authorization: `Bearer ${key}` } };
    expect((await admission.decide(request, '192.0.2.1')).rejection).toBeUndefined();
    await proxy.mode('black-hole');
    const codes: (string | undefined)[] = [];
    const flood = Array.from({ length: 5500 }, async () => {
      codes.push((await admission.decide(request, '192.0.2.1')).rejection?.code);
    });
    // Before any timer runs: on a busy machine the first of them are due by now.
    await new Promise((resolve) => process.nextTick(resolve));
    // 5,000 wait beside the one statement that is in flight.
    expect(codes).toHaveLength(5500 - 5000 - 32);
    await Promise.all(flood);
    expect(new Set(codes)).toEqual(new Set(['service_unavailable']));
  });

  /** As many as the pools may hold, so that the most can break. */
  async function openAllConnections(): Promise<void> {
    const clients = await Promise.all(
      service.prisma.pools.all.flatMap((pool) =>
        Array.from({ length: pool.options.max }, () => pool.connect()),
      ),
    );
    for (const client of clients) client.release();
  }

  interface TimedResponse extends ApiResponse {
    readonly ms: number;
    /** Unix seconds. */
    readonly sentAtSeconds: number;
  }

  async function sendTimed(
    address: string,
    credentials = { authorization: `Bearer ${key}` },
  ): Promise<TimedResponse> {
    const sentAtSeconds = Math.floor(Date.now() / 1000);
    const startedMs = processTimeMs();
    const response = await send(service.origin, { headers: { 'x-forwarded-for': address, ...credentials } });
    return { ...response, ms: processTimeMs() - startedMs, sentAtSeconds };
  }

  function sendMany(times: number, address: string): Promise<TimedResponse[]> {
    return Promise.all(Array.from({ length: times }, () => sendTimed(address)));
  }

  async function expectHealed(): Promise<void> {
    let failed = 0;
    await eventually(async () => {
      const { status } = await sendTimed(newAddress());
      if (status === 503) failed += 1;
      expect(status).toBe(200);
    });
    expect(failed).toBeLessThanOrEqual(FAILED_MAX);
  }
});

describe('a process whose database is away', () => {
  let replica: Replica;

  beforeEach(async () => {
    replica = await startReplica({ databaseUrl: proxy.url });
  });
  afterEach(async () => {
    await proxy.close();
    await replica.stop();
  });

  const expectServing = (): Promise<void> =>
    eventually(async () => expect(await send(replica.origin, { key })).toMatchObject({ status: 200 }));

  it('responds to each of 1,500 requests, goes on, and ends in order', async () => {
    const [connections, pipelined] = [375, 4];
    await expectServing();
    await proxy.mode('black-hole');
    const one = `GET /v1/pets HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`;
    const responses = await Promise.all(
      Array.from({ length: connections }, () => sendRawUpTo(replica.port, one.repeat(pipelined), pipelined)),
    );
    const all = responses.flat();
    expect(all).toHaveLength(connections * pipelined);
    const seen = all.map(({ status, headers }) => `${status} ${String(headers.get('retry-after'))}`);
    expect([...new Set(seen)]).toEqual(['503 1']);
    await proxy.mode('pass');
    await expectServing();
    await proxy.mode('black-hole');
  });

  it('responds with 200 or 503 while connections are cut at any point of their setup', async () => {
    const cuts = 30;
    const responses = [];
    for (let cut = 0; cut < cuts; cut += 1) {
      responses.push(...Array.from({ length: 10 }, () => send(replica.origin, { key })));
      // From a connection that is not open yet to one that responds.
      await delay(cut % 10);
      await proxy.mode(cut % 2 === 0 ? 'truncate' : 'cut');
      await delay(cut % 3);
      await proxy.mode('pass');
    }
    const { 200: good = 0, '503 service_unavailable': unavailable = 0 } = tally(await Promise.all(responses));
    expect(good + unavailable).toBe(10 * cuts);
    await expectServing();
  });
});
