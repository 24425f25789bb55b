import { get } from 'node:http';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { escapeIdentifier } from 'pg';
import { migrate } from '../src/database/migrations.js';
import { bindSession, SESSION_SETTINGS } from '../src/database/session-settings.js';
import { Readiness } from '../src/monitoring/management/readiness.js';
import { petstoreOn } from './cli/support/petstore.js';
import { createPetstoreDatabase, createPostgresServer } from './faults/support/postgres-server.js';
import { becomeStandby, promote } from './faults/support/standby.js';
import { createTestDatabase } from './support/database.js';
import { eventually } from './support/eventually.js';
import { setHostileSettings } from './support/hostile-settings.js';
import { runProgram } from './support/process.js';
import { type RunningService, runService } from './support/running-service.js';
import { createTcpProxy, type TcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';
import { servingPools } from './support/serving-pools.js';

let proxy: TcpProxy;
let service: RunningService;

beforeAll(async () => {
  service = await runService({ TRUST_PROXY: 'loopback' }, async (url) => {
    proxy = await createTcpProxy(url);
    return proxy.url;
  });
});
afterAll(async () => {
  await service.close();
  await proxy.close();
});

const ready = (): Promise<Response> => fetch(`${service.management}/health/ready`);
const metrics = async (): Promise<string> => await (await fetch(`${service.management}/metrics`)).text();
const listPets = (
  headers: Record<string, string> = { authorization: `Bearer ${service.key}` },
): Promise<Response> => fetch(`${service.origin}/v1/pets?limit=1`, { headers });

const addPet = (): Promise<Response> =>
  fetch(`${service.origin}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: '{"name":"Rex","categoryId":1}',
  });

/** The value of one series; 0 when there is none yet. */
async function valueOf(series: string): Promise<number> {
  const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

/** Those of the service: Node.js adds series of its own, such as one for each kind of garbage collection that has happened. */
const seriesCount = async (): Promise<number> => (await metrics()).match(/^petstore_/gm)?.length ?? 0;

const rejections = async (): Promise<number[]> => [
  await valueOf('petstore_rejections_total{window="minute"}'),
  await valueOf('petstore_rejections_total{window="ban"}'),
  await valueOf('petstore_bans_started_total'),
];

describe('health', () => {
  it('is ready when requests can be served, and never on the public port', async () => {
    const response = await ready();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ready' });
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const authorization = `Bearer ${service.key}`;
      expect((await fetch(`${service.origin}${path}`, { headers: { authorization } })).status).toBe(404);
    }
  });

  it.each(['close', 'black-hole'] as const)(
    'is not ready, but live, while the database is away (%s), and ready again by itself',
    async (mode) => {
      await proxy.mode(mode);
      await eventually(async () => {
        const response = await ready();
        expect(response.status).toBe(503);
        expect(await response.json()).toEqual({
          status: 'not_ready',
          checks: {
            database: expect.stringMatching(
              /^(?:connect ECONNREFUSED|Connection terminated|no response in \d+ ms)/,
            ),
            migrations: 'unknown',
            settings: 'unknown',
            draining: false,
          },
        });
      });
      expect(await valueOf('petstore_ready')).toBe(0);
      expect(await (await fetch(`${service.management}/health/live`)).json()).toEqual({ status: 'live' });
      await proxy.mode('pass');
      await eventually(async () => expect((await ready()).status).toBe(200));
      expect(await valueOf('petstore_ready')).toBe(1);
    },
  );

  it.each(['database', 'role current_user in database'])(
    'is not ready while new sessions of the %s are read only, and writes as soon as it is ready again',
    async (of) => {
      const pool = openTestPool(service.databaseUrl, { max: 1 });
      const sessions = `${of} ${escapeIdentifier(new URL(service.databaseUrl).pathname.slice(1))}`;
      await pool.query(`alter ${sessions} set default_transaction_read_only = on`);
      // As a failover would, or an operator who wants the setting to hold at once.
      await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'petstore'`);
      await eventually(async () => {
        const response = await ready();
        expect(response.status).toBe(503);
        expect(await response.json()).toEqual({
          status: 'not_ready',
          checks: { database: 'read-only', migrations: 'ok', settings: 'ok', draining: false },
        });
      });
      expect(await valueOf('petstore_ready')).toBe(0);
      await eventually(async () => expect((await addPet()).status).toBe(503));
      await pool.query(`alter ${sessions} reset default_transaction_read_only`);
      await eventually(async () => expect((await ready()).status).toBe(200));
      expect((await addPet()).status).toBe(201);
      await pool.end();
    },
  );

  it('names settings that make responses wrong, and stays ready if one only delays them', async () => {
    const database = await createTestDatabase();
    await setHostileSettings(database.url);
    const pool = openTestPool(database.url);
    const readiness = new Readiness();
    readiness.serve(servingPools(pool));
    const { isReady, checks } = await readiness.check();
    expect(isReady).toBe(false);
    expect(checks.settings.split(`, `)).toContain(`TimeZone is 'Asia/Tokyo' instead of 'UTC'`);
    for (const name of Object.keys(SESSION_SETTINGS)) expect(checks.settings).toContain(`${name} is `);
    await pool.end();
    const late = openTestPool(database.url, {
      // oxlint-disable-next-line no-misused-promises -- the pool waits for it, which its types do not say
      onConnect: async (client) => {
        await bindSession(client, 5000);
        await client.query('set jit = on');
      },
    });
    const other = new Readiness();
    other.serve(servingPools(late));
    expect(await other.check()).toMatchObject({
      isReady: true,
      checks: { settings: `jit is 'on' instead of 'off'` },
    });
    await late.end();
    await database.drop();
  });

  it('is not ready on a standby, and is when that is promoted', async () => {
    const server = await createPostgresServer();
    try {
      await server.start();
      await createPetstoreDatabase(server);
      await migrate({ connectionString: server.url });
      await server.stop();
      await becomeStandby(server);
      await server.start();
      const pool = openTestPool(server.url);
      const readiness = new Readiness();
      readiness.serve(servingPools(pool));
      expect(await readiness.check()).toMatchObject({ isReady: false, checks: { database: 'standby' } });
      expect((await petstoreOn(server.url)(['doctor'])).stdout).toMatch(
        /^fail {2}writes {9}this is a standby/m,
      );
      expect((await petstoreOn(server.url)(['keys', 'list'])).code).toBe(0);
      expect((await petstoreOn(server.url)(['plans', 'set', 'free', '--per-minute', '5'])).stderr).toBe(
        'This server is a standby, so nothing can be changed.\nConnect to the primary.\n',
      );
      await promote(server);
      await eventually(async () => expect(await readiness.check()).toMatchObject({ isReady: true }));
      await pool.end();
    } finally {
      await server.remove();
    }
  });

  it('is not ready while a migration of this release is not applied', async () => {
    const pool = openTestPool(service.databaseUrl);
    const newest = '(select max(migration_name) from _prisma_migrations)';
    await pool.query(`update _prisma_migrations set rolled_back_at = now() where migration_name = ${newest}`);
    await eventually(async () => {
      expect(await (await ready()).json()).toMatchObject({
        checks: { database: 'ok', migrations: 'pending' },
      });
    });
    await pool.query('update _prisma_migrations set rolled_back_at = null');
    await eventually(async () => expect((await ready()).status).toBe(200));
    await pool.end();
  });

  it('leads to the dashboard, is 404 for other paths, and 405 for other methods', async () => {
    const root = await fetch(`${service.management}/`, { redirect: 'manual' });
    expect([root.status, root.headers.get('location')]).toEqual([307, 'dashboard']);
    expect((await fetch(`${service.management}/nothing`)).status).toBe(404);
    expect((await fetch(`${service.management}/metrics`, { method: 'POST' })).status).toBe(405);
    const ofSite = async (path: string, site: string): Promise<number> =>
      (await fetch(`${service.management}${path}`, { headers: { 'sec-fetch-site': site } })).status;
    expect(await ofSite('/metrics', 'cross-site')).toBe(403);
    expect(await ofSite('/metrics', 'same-site')).toBe(403);
    expect(await ofSite('/metrics', 'none')).toBe(200);
    // A browser that was led here by another name (DNS rebinding), and a scraper, which may use any name.
    const { port } = new URL(service.management);
    const named = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
      new Promise((resolve) => {
        get({ port, host: '127.0.0.1', path: '/metrics', headers }, ({ statusCode }) => resolve(statusCode));
      });
    expect(await named({ host: 'evil.example', 'sec-fetch-site': 'same-origin' })).toBe(403);
    expect(await named({ host: 'evil.example', 'sec-fetch-site': 'none' })).toBe(403);
    expect(await named({ host: 'evil.example', 'accept-language': 'de' })).toBe(403);
    expect(await named({ host: 'evil.example', 'user-agent': 'Mozilla/5.0' })).toBe(403);
    expect(await named({ host: '127.0.0.1', 'user-agent': 'Mozilla/5.0' })).toBe(200);
    expect(await named({ host: 'api-1:3001' })).toBe(200);
    expect(await ofSite('/health/live', 'cross-site')).toBe(200);
    expect((await fetch(`${service.management}/health/live?x=1`, { method: 'HEAD' })).status).toBe(200);
  });
});

const requestsOf = (operation: string, method: string, status: number): Promise<number> =>
  valueOf(`petstore_http_requests_total{operation="${operation}",method="${method}",status="${status}"}`);

describe('metrics', () => {
  it('count requests by operation, method and status, and admission decisions', async () => {
    const served = 'petstore_http_requests_total{operation="listPets",method="GET",status="200"}';
    const unknown = 'petstore_admissions_total{plan="none",outcome="unknown"}';
    const admitted = 'petstore_admissions_total{plan="business",outcome="admitted"}';
    const before = [await valueOf(served), await valueOf(unknown), await valueOf(admitted)];
    await listPets();
    await listPets();
    await listPets({});
    const [servedBefore = 0, unknownBefore = 0, admittedBefore = 0] = before;
    expect(await valueOf(served)).toBe(servedBefore + 2);
    expect(await valueOf(unknown)).toBe(unknownBefore + 1);
    expect(await valueOf(admitted)).toBe(admittedBefore + 2);
    expect(await valueOf('petstore_http_requests_in_flight')).toBe(0);
  });

  it('count API methods by name, and all invented ones as one', async () => {
    const headers = { authorization: `Bearer ${service.key}` };
    for (const method of ['DELETE', 'PROPFIND', 'PURGE']) {
      await fetch(`${service.origin}/v1/pets/404`, { method, headers });
    }
    expect(await requestsOf('deletePet', 'DELETE', 404)).toBe(1);
    expect(await requestsOf('none', 'other', 405)).toBe(2);
  });

  it('drop requests whose clients disconnected, whatever they sent', async () => {
    const head = `Host: a\r\nAuthorization: Bearer ${service.key}\r\n`;
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\n';
    const requests = [
      `GET /v1/pets HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/pets HTTP/1.1\r\n${head}\r\n`.repeat(16),
      `POST /v1/pets HTTP/1.1\r\n${head}${body}\r\n{`,
      `POST /v1/pets HTTP/1.1\r\n${head}${body}Expect: 100-continue\r\n\r\n`,
    ];
    const before = await valueOf('petstore_batch_size_sum{batch="admission"}');
    for (const bytes of requests) {
      for (let times = 0; times < 5; times += 1) {
        const socket = connect(service.port, '127.0.0.1');
        await once(socket, 'connect');
        socket.write(bytes);
        // Some of these leave while they are decided about, some before their body came, some before they were read.
        setImmediate(() => socket.resetAndDestroy());
      }
    }
    await eventually(async () => {
      expect(await valueOf('petstore_batch_size_sum{batch="admission"}')).toBeGreaterThan(before);
      expect(await valueOf('petstore_http_requests_in_flight')).toBe(0);
    });
  });

  it('count rejections by window, and bans', async () => {
    const pool = openTestPool(service.databaseUrl);
    const { rows } = await pool.query<{ key: string }>(`select key from issue_api_key('once', 'free', 1)`);
    await pool.end();
    const authorization = `Bearer ${rows[0]?.key ?? ''}`;
    const [minute = 0, ban = 0, bans = 0] = await rejections();
    // The minute may turn in between: then there is one more admitted, and the ban comes later.
    for (let sent = 0; sent < 50; sent += 1) await listPets({ authorization });
    const [minuteAfter = 0, banAfter = 0, bansAfter = 0] = await rejections();
    expect(bansAfter - bans).toBe(1);
    expect(minuteAfter - minute).toBeGreaterThanOrEqual(20);
    expect(banAfter - ban).toBeGreaterThanOrEqual(1);
  });

  it('time only admitted requests: a flood of delayed rejections is not a slow service', async () => {
    const timed = 'petstore_http_request_duration_seconds_count{operation="listPets"}';
    const before = await valueOf(timed);
    await listPets({});
    await listPets({ authorization: 'Bearer psk_guessed' });
    expect(await valueOf(timed)).toBe(before);
    await listPets();
    expect(await valueOf(timed)).toBe(before + 1);
  });

  it('create no series for invented methods, paths and addresses', async () => {
    await listPets({});
    await fetch(`${service.origin}/v1/made-up`, { method: 'PURGE' }).catch(() => undefined);
    const before = await seriesCount();
    for (let n = 0; n < 20; n += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${n}` };
      await fetch(`${service.origin}/v1/made-up/${n}`, { method: 'DELETE', headers });
    }
    // A status that was not met before may come once.
    expect((await seriesCount()) - before).toBeLessThanOrEqual(2);
  });

  it('cover batches, pool, process and release, by the names that dashboards use', async () => {
    await listPets();
    const text = await metrics();
    const names = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    for (const name of [
      ...['http_requests_total', 'http_request_duration_seconds', 'http_requests_in_flight'],
      ...['admissions_total', 'rejections_total', 'bans_started_total'],
      ...['batch_size', 'batch_wait_seconds', 'batch_waiting', 'statement_duration_seconds'],
      ...['statement_failures_total', 'pool_connections', 'pool_waiting', 'pool_connections_max'],
      ...['ready', 'draining', 'build_info'],
    ]) {
      expect(names).toContain(`petstore_${name}`);
    }
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_cpu_seconds_total',
      'nodejs_heap_size_used_bytes',
    ]) {
      expect(names).toContain(name);
    }
    expect(await valueOf('petstore_batch_wait_seconds_count{batch="list_pets"}')).toBeGreaterThan(0);
    expect(await valueOf('petstore_batch_size_bucket{le="32",batch="list_pets"}')).toBeGreaterThan(0);
    expect(await valueOf('petstore_pool_connections_max')).toBe(9);
    expect(text).toMatch(/^petstore_build_info\{version="\d+\.\d+\.\d+[^"]*",node="v\d+\.\d+\.\d+"\} 1$/m);
  });
});

const health = (init?: RequestInit): Promise<Response> => fetch(`${service.origin}/health`, init);
const remaining = ({ headers }: Response): number => Number(headers.get('x-ratelimit-remaining'));
const document = (): Promise<Response> => fetch(`${service.origin}/openapi.json`);

describe('GET /health of the public port', () => {
  it('needs no key and has the headers of every response', async () => {
    await eventually(async () => expect((await health()).status).toBe(200));
    const response = await health({ headers: { origin: 'https://shop.example' } });
    expect(await response.json()).toEqual({ status: 'ready' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      ratelimit: expect.stringContaining('"address"'),
      'x-ratelimit-limit': '60',
      'x-request-id': expect.stringMatching(/./),
    });
    expect(await (await health({ method: 'HEAD' })).text()).toBe('');
  });

  it('is never counted: no limit, metric or log line', async () => {
    const before = { charged: remaining(await health()), documents: remaining(await document()) };
    // A check that takes 0.8 s on a busy machine says that it is not ready.
    await eventually(async () => {
      const responses = await Promise.all(Array.from({ length: 400 }, () => health()));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    });
    // In another minute both would begin anew.
    expect([before.charged, 60]).toContain(remaining(await health()));
    expect([before.documents - 1, 299]).toContain(remaining(await document()));
    expect(await metrics()).not.toContain('readHealth');
    expect(await valueOf('petstore_http_requests_in_flight')).toBe(0);
    expect(service.requests().filter(({ path }) => path === '/health')).toEqual([]);
  });

  it('is 503 without the database, and sends no query', async () => {
    await proxy.mode('close');
    await eventually(async () => expect((await health()).status).toBe(503));
    const response = await health();
    expect(await response.json()).toEqual({
      code: 'service_unavailable',
      message: expect.any(String),
      status: 503,
    });
    expect(response.headers.get('retry-after')).toBe('1');
    await proxy.mode('black-hole');
    const before = proxy.connections;
    await Promise.all(Array.from({ length: 100 }, () => health()));
    // The check of every five seconds may have come meanwhile.
    expect(proxy.connections - before).toBeLessThan(5);
    await proxy.mode('cut');
    await proxy.mode('pass');
    await eventually(async () => expect((await health()).status).toBe(200));
  });
});

describe('a management port that is in use', () => {
  it('is reported in one line', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const program = runProgram('main.js', [], {
      PORT: '0',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      DATABASE_URL: service.databaseUrl,
    });
    expect(await program.ended).toBe(1);
    expect(program.output.stderr).toBe(
      `Port ${port} is already in use. Stop the other program, or set MANAGEMENT_PORT to another port.\n`,
    );
    blocker.close();
  });
});
