import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { request } from 'node:http';
import type { Pool } from 'pg';
import { Dashboard } from '../src/monitoring/dashboard/dashboard.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { issueKeys } from './support/issue-keys.js';
import { holdOpen } from './support/operators.js';
import { grantRoles, loginAs, type TestLogin } from './support/operator-roles.js';
import { type RunningService, runService } from './support/running-service.js';
import { createTcpProxy, type TcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';

let database: TestDatabase;
let pool: Pool;
let login: TestLogin;
let proxy: TcpProxy;
let dashboard: Dashboard;
let problems: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 2 });
  await grantRoles(database.url, 'superuser');
  await issueKeys(pool, 120, { plan: 'pro' });
  // No more than the service may do.
  login = await loginAs('petstore_service', database.url);
  proxy = await createTcpProxy(login.url);
});
afterAll(async () => {
  await proxy.close();
  await pool.end();
  await database.drop();
  await login.drop();
});
beforeEach(async () => {
  problems = [];
  await dashboard?.close();
  dashboard = new Dashboard({ isOn: true, hosts: ['ops.example.com'] });
  dashboard.serve(proxy.url, 'http://localhost:3000', () => problems);
});
afterAll(() => dashboard.close());

interface Body {
  readonly view: Record<string, never>;
  readonly message?: string;
}

const fromSite = (site: string) =>
  dashboard.respond({ target: '/dashboard/keys.csv', host: 'localhost', site });

async function get(target: string, host = 'localhost:3001') {
  const response = await dashboard.respond({ target, host });
  if (response === undefined) throw new Error(`no response to ${target}`);
  return response;
}

async function view<View>(name: string): Promise<View> {
  const { status, body } = await get(`/dashboard/data/${name}`);
  expect([name, status, status === 200 ? '' : body]).toEqual([name, 200, '']);
  return (JSON.parse(body) as Body).view as View;
}

/** When the hours began that were so many hours ago. */
async function hoursAgo(...ago: readonly number[]): Promise<readonly string[]> {
  const { rows } = await pool.query<{ hour: Date }>(
    `select this_hour() - ago * interval '1 hour' as hour from unnest($1::int[]) with ordinality as u (ago, place) order by place`,
    [ago],
  );
  return rows.map(({ hour }) => hour.toISOString());
}

/** Successful requests of the hour that began five hours ago. Views of other names have the same hours. */
async function requestsIn(span: string): Promise<number> {
  const { outcomes } = await view<{ outcomes: { outcome: string; requests: number[] }[] }>(`hours?${span}`);
  return outcomes.find(({ outcome }) => outcome === 'success')?.requests.at(-6) ?? 0;
}

describe('the dashboard', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await runService();
  });
  afterAll(() => service.close());

  it('is on the management port alone', async () => {
    const page = await fetch(`${service.management}/dashboard`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    const files = [...(await page.text()).matchAll(/(?:href|src)="(dashboard\/[^"]+)"/g)].map(
      ([, file]) => file,
    );
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await fetch(`${service.management}/${file}`)).status).toBe(200);
    const authorization = `Bearer ${service.key}`;
    for (const path of ['/dashboard', '/dashboard/data/summary']) {
      expect((await fetch(`${service.origin}${path}`, { headers: { authorization } })).status).toBe(404);
    }
  });

  it('rejects foreign host names, which could resolve here', async () => {
    const { port, hostname } = new URL(service.management);
    const status = await new Promise((resolve, reject) => {
      request({ port, hostname, path: '/dashboard', headers: { host: 'evil.example' } })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });
});

describe('Dashboard', () => {
  it.each([
    ['localhost', 200],
    ['localhost:3001', 200],
    ['127.0.0.1:3001', 200],
    ['[::1]:3001', 200],
    ['OPS.example.com', 200],
    ['evil.example', 403],
    ['localhost.evil.example', 403],
    ['', 403],
  ])('at the host name "%s" responds with %d', async (host, status) => {
    expect(await get('/dashboard', host)).toMatchObject({ status });
    expect(await get('/dashboard/data/keys', host)).toMatchObject({ status });
  });

  it('is not there when it is off', async () => {
    expect(
      await new Dashboard({ isOn: false, hosts: [] }).respond({ target: '/dashboard', host: 'localhost' }),
    ).toBeUndefined();
  });

  it('says that the service is starting', async () => {
    const starting = new Dashboard({ isOn: true, hosts: [] });
    expect(await starting.respond({ target: '/dashboard/data/summary', host: 'localhost' })).toMatchObject({
      status: 503,
      body: '{"message":"the service is starting"}',
    });
  });

  it('names who has had a snapshot open for ten minutes', async () => {
    const other = await createTestDatabase();
    const client = openTestPool(other.url, { max: 1 });
    await client.query(
      `drop view open_snapshots;
       create view open_snapshots as
       select 'session' as kind, '7' as name, 'report' as role, 'psql' as program, now() - age as since,
         1000 as transactions, 'select pg_terminate_backend(7)' as remedy
       from (values (interval '9 minutes'), ('11 minutes')) as held (age)`,
    );
    const own = new Dashboard({ isOn: true, hosts: [] });
    own.serve(other.url, 'http://localhost:3000', () => []);
    const { body } = (await own.respond({ target: '/dashboard/data/summary', host: 'localhost' })) ?? {};
    expect((JSON.parse(String(body)) as Body).view['problems']).toEqual([
      expect.stringMatching(
        /^session 7 \(role report, .+ for 11 minutes, .+ select pg_terminate_backend\(7\)\.$/,
      ),
    ]);
    await Promise.all([own.close(), client.end()]);
    await other.drop();
  });

  it('sums up the day, with what is wrong', async () => {
    await pool.query(
      `update api_key_counters set minute = now(), day = (now() at time zone 'UTC')::date, day_admitted = 10, day_refused = 2 where api_key_id < 4`,
    );
    await pool.query(`select suspend_api_key(7)`);
    problems = ['The usage by hour cannot be written: see the log.'];
    expect(await view('summary')).toMatchObject({
      ...{ active: 3, address: 'http://localhost:3000', problems },
    });
    expect(await view('attention')).toMatchObject({
      suspended: { total: 1, rows: [{ api_key_id: '7', name: 'test 7' }] },
    });
    await pool.query(`select resume_api_key(7)`);
  });

  it('has the hours of all keys by outcome and operation, and what was changed when', async () => {
    await pool.query(
      `insert into api_key_usage_hours
       select date_trunc('hour', now(), 'UTC') - ago * interval '1 hour', key, 'listPets', outcome, 4, 10
       from (values (0, 1, 'success'), (0, 2, 'success'), (1, 1, 'limited'), (30, 1, 'success')) as v (ago, key, outcome)`,
    );
    await pool.query(
      `insert into address_usage_hours values (this_hour(), 'unauthorized', 70), (this_hour(), 'limited', 7)`,
    );
    const day = await view<{
      hours: string[];
      outcomes: { outcome: string; requests: number[] }[];
      operations: unknown[];
      marks: { subject: string; action: string; changes: number }[];
      before?: { outcomes: { outcome: string; requests: number[] }[] };
    }>('hours?range=24h');
    expect(day.hours).toHaveLength(24);
    const requests = Object.fromEntries(day.outcomes.map((one) => [one.outcome, one.requests.slice(-2)]));
    expect(requests).toMatchObject({ success: [0, 8], limited: [4, 0], banned: [0, 0], no_key: [0, 77] });
    expect(day.operations).toEqual([{ operation: 'listPets', requests: 12, errors: 0, meanMs: 2.5 }]);
    // Its hours are not all known.
    expect(day.before).toBeUndefined();
    expect(day.marks).toContainEqual(expect.objectContaining({ subject: 'api_keys', action: 'insert' }));
    const week = await view<typeof day>('hours?range=7d');
    expect(week.hours).toHaveLength(168);
    expect(week.operations).toEqual([{ operation: 'listPets', requests: 16, errors: 0, meanMs: 2.5 }]);
  });

  it('has the errors of each operation, since when, and the worst hour; of a selected time, and the time before', async () => {
    await pool.query(
      `insert into api_key_usage_hours
       select this_hour() - ago * interval '1 hour', 1, 'createPet', outcome, requests, 10
       from (values (100, 'success', 1), (50, 'success', 6), (49, 'undecided', 2), (48, 'server_error', 5)) as v (ago, outcome, requests)`,
    );
    const [hour, from, to] = await hoursAgo(48, 52, 44);
    const view8 = await view<{ hours: string[]; operations: object[]; before: { outcomes: object[] } }>(
      `hours?from=${from}&to=${to}`,
    );
    expect(view8.hours).toHaveLength(8);
    const [since] = await hoursAgo(49);
    expect(view8.operations).toContainEqual({
      ...{
        operation: 'createPet',
        requests: 13,
        errors: 7,
        errorsSince: since,
        worstHour: hour,
        meanMs: 2.3,
      },
    });
    expect(view8.before.outcomes).toHaveLength(9);
  });

  it('shows hours that were written late, after an outage, when it is over', async () => {
    expect(await requestsIn('range=24h')).toBe(0);
    await pool.query(
      `insert into api_key_usage_hours values (this_hour() - interval '5 hours', 1, 'listPets', 'success', 9, 10)`,
    );
    // It was remembered.
    expect(await requestsIn('range=7d')).toBe(0);
    await pool.query(
      `insert into database_outages values ('late', this_hour() - interval '5 hours', present(), 0)`,
    );
    const [from, to] = await hoursAgo(8, -1);
    expect(await requestsIn(`from=${from}&to=${to}`)).toBe(9);
    await pool.query(`delete from api_key_usage_hours where requests = 9`);
    await pool.query('truncate database_outages');
  });

  it('escapes bidirectional controls in names', async () => {
    const { rows } = await pool.query<{ id: string }>(
      `select id::text from issue_api_key(U&'pay\\202Ecod', 'pro')`,
    );
    const { key } = await view<{ key: { name: string } }>(`key?key=${rows[0]?.id}`);
    expect(key.name).toBe('pay\\u202ecod');
    await pool.query(`update api_keys set name = 'plain', revoked_at = now() where id = $1`, [rows[0]?.id]);
  });

  it('lists keys by pages, sorts and finds them', async () => {
    interface Keys {
      readonly keys: { readonly id: string; readonly parts: (number[] | null)[] }[];
      readonly hasMore: boolean;
    }
    const ids = async (parameters: string) =>
      (await view<Keys>(`keys?${parameters}`)).keys.map(({ id }) => id);
    const first = await view<Keys>('keys');
    expect([first.keys.length, first.keys[0]?.id, first.keys[0]?.parts.length, first.hasMore]).toEqual([
      50,
      '1',
      24,
      true,
    ]);
    expect((await ids('page=2'))[0]).toBe('101');
    expect(await ids('search=TEST%2011')).toEqual([
      '11',
      ...Array.from({ length: 10 }, (_, nth) => String(110 + nth)),
    ]);
    expect(await ids('search=42')).toEqual(['42']);
    await pool.query(`update api_keys set customer = 'fifty' where id <= 50`);
    const fifty = await view<Keys>('keys?search=fifty');
    expect([fifty.keys.length, fifty.hasMore]).toEqual([50, false]);
    expect(await ids('search=%25')).toEqual([]);
    await pool.query(`update api_keys set customer = 'CRM-77' where id in (7, 9)`);
    expect(await ids('search=crm-77')).toEqual(['7', '9']);
    await pool.query(`update api_key_counters set day_admitted = 900 where api_key_id = 2`);
    expect(await ids('sort=share')).toEqual(['2', '1', '3']);
    expect((await ids('sort=last_use')).toSorted((a, b) => Number(a) - Number(b))).toEqual(['1', '2', '3']);
    expect(await ids('customer=CRM-77')).toEqual(['7', '9']);
    expect(await ids('plan=free')).toEqual([]);
    // By what the hours of the time have: of key 1 8 requests, one of them rejected with 4.
    expect(await ids('sort=requests')).toEqual(['1', '2']);
    expect(await ids('sort=rejected')).toEqual(['1']);
    const [one] = (await view<{ keys: object[] }>('keys?search=1&sort=requests')).keys;
    expect(one).toMatchObject({ id: '1', requests: expect.any(Number), errors: 0, rejected: 4 });
  });

  it('filters keys by their state, as api_key_overview has it', async () => {
    await pool.query(
      `insert into api_keys (name, plan_id) values ('without a secret', 'pro');
       select suspend_api_key(20), revoke_api_key(21);
       update api_keys set expires_at = now() where id = 22;
       update api_key_secrets set expires_at = now() where api_key_id = 23`,
    );
    await pool.query(
      `update api_key_counters set minute = present(), day = today(), banned_at = present(), banned_until = present() + interval '1 hour' where api_key_id = 24`,
    );
    for (const state of ['live', 'suspended', 'banned', 'expired', 'revoked', 'unissued']) {
      const { rows } = await pool.query<{ id: string }>(
        `select k.id::text from api_key_overview k where state = $1 order by k.id limit 50`,
        [state],
      );
      const shown = (await view<{ keys: { id: string }[] }>(`keys?state=${state}`)).keys.map(({ id }) => id);
      expect([state, shown]).toEqual([state, rows.map(({ id }) => id)]);
      expect(shown.length).toBeGreaterThan(0);
    }
    await pool.query(`select resume_api_key(20)`);
    await pool.query(
      `update api_key_counters set banned_at = null, banned_until = null where api_key_id = 24`,
    );
  });

  it('has plans, and what needs attention', async () => {
    await pool.query(`update api_key_counters set day_admitted = 9000 where api_key_id = 2`);
    await pool.query(`select set_api_key_plan(10, 'free', 50)`);
    const { plans } = await view<{ plans: { id: string; keys: number }[] }>('summary');
    // The most that its keys have used leaves that one out.
    expect(plans.find(({ id }) => id === 'free')).toMatchObject({
      ...{ keys: 1, custom: false, own_minute: true, own_day: false },
    });
    await pool.query(`select set_api_key_plan(10, 'pro')`);
    await pool.query(`select set_api_key_expiry(5, now() + interval '3 days')`);
    // The old secret of a rotation ends, and its key does not.
    await pool.query(`select rotate_api_key(6, '2 hours')`);
    await pool.query(`insert into api_key_bans values (4, now() - interval '1 hour', now(), 300, 10000)`);
    expect(await view('attention')).toMatchObject({
      ...{ total: 2, isMore: false },
      banned: { total: 0 },
      ended: { total: 1, rows: [{ api_key_id: '4', name: 'test 4' }] },
      near: { total: 1, rows: [{ api_key_id: '2', day_admitted: 9000, requests_per_day: 10_000 }] },
      expiring: { total: 1, rows: [{ api_key_id: '5', expires: 'key' }] },
      deprecated: [],
      unused: { total: 0, rows: [] },
    });
  });

  it('lists what needs attention as a whole where that is wanted', async () => {
    await pool.query(`update api_keys set expires_at = now() + interval '4 days' where id between 60 and 75`);
    const counts: unknown[] = [];
    for (const parameters of ['', '?whole=expiring', '?whole=banned']) {
      const { expiring } = await view<{ expiring: { total: number; rows: object[] } }>(
        `attention${parameters}`,
      );
      counts.push([expiring.total, expiring.rows.length]);
    }
    expect(counts).toEqual([
      [17, 10],
      [17, 17],
      [17, 10],
    ]);
  });

  it('has everything about one key, with who changed what', async () => {
    await pool.query(`select set_config('petstore.actor', 'alice', false), set_api_key_limits(1, 123, 456)`);
    const key = await view<{ changes: object[] }>('key?key=1');
    expect(key).toMatchObject({
      key: { id: '1', name: 'test 1', plan_id: 'pro' },
      secrets: [{ prefix: expect.stringMatching(/^psk_/) }],
      hours: expect.any(Array),
      days: expect.any(Array),
      bans: [],
    });
    expect(key.changes[0]).toEqual({
      changed_at: expect.any(String),
      table_name: 'api_keys',
      action: 'update',
      by: expect.stringMatching(/^\w+, as alice$/),
      members: ['requests_per_day: - → 456', 'requests_per_minute: - → 123'],
    });
    expect(key.changes.at(-1)).toMatchObject({
      action: 'insert',
      members: expect.arrayContaining(['name: test 1']),
    });
    expect(await view('key?key=99999')).toBeNull();
    // More than a double holds.
    expect(await view('key?key=9223372036854775807')).toBeNull();
  });

  it.each([
    ['hours?range=1y', 'range must be one of 24h, 7d, 35d'],
    ['key?key=x', 'key must be the id of a key'],
    ['keys?page=-1', 'page must be an integer from 0 to 99999'],
    ['hours?range=toString', 'range must be one of 24h, 7d, 35d'],
    ['keys?search=%00', 'search must have at most 100 characters, and no NUL'],
    ['keys?sort=name', 'sort must be one of id, last_use, share, requests, errors, rejected'],
    ['keys?state=lively', 'state must be one of live, banned, suspended, unissued, expired, revoked'],
    [
      'hours?from=2026-11-20T09:30:00Z&to=2026-11-20T10:30:00Z',
      'from and to must be whole hours, in order, and at most 35 days apart',
    ],
    [`keys?search=${'x'.repeat(101)}`, 'search must have at most 100 characters, and no NUL'],
  ])('rejects %s in a sentence', async (target, message) => {
    expect(await get(`/dashboard/data/${target}`)).toMatchObject({
      status: 400,
      body: JSON.stringify({ message }),
    });
  });

  it.each(['/dashboard/data/nothing', '/dashboard/nothing', '/dashboard/data', '/dashboard/../package.json'])(
    'has nothing else (%s)',
    async (target) => {
      expect((await dashboard.respond({ target, host: 'localhost' }))?.status ?? 404).toBe(404);
    },
  );

  it('shows large ids to the digit', async () => {
    await pool.query(
      `insert into api_keys (id, name, plan_id) overriding system value values (9007199254740993, 'large', 'pro')`,
    );
    expect((await get('/dashboard/data/keys?search=large')).body).toContain('"id":"9007199254740993"');
    expect((await get('/dashboard/data/key?key=9007199254740993')).body).toContain('"id":"9007199254740993"');
  });

  it('cannot be read by other sites, which may link to it', async () => {
    const link = { target: '/dashboard', host: 'localhost', site: 'cross-site' };
    expect(await dashboard.respond(link)).toMatchObject({ status: 200 });
    expect(await fromSite('cross-site')).toMatchObject({ status: 403 });
    expect(await fromSite('same-site')).toMatchObject({ status: 403 });
    expect(await fromSite('same-origin')).toMatchObject({ status: 200 });
  });

  it('redirects a trailing slash to the page', async () => {
    expect(await get('/dashboard/')).toMatchObject({ status: 308, headers: { location: '../dashboard' } });
  });

  it('is a table for spreadsheets, which runs no name as a formula', async () => {
    await pool.query(`update api_keys set name = '=HYPERLINK("http://evil.example")' where id = 6`);
    await pool.query(`update api_keys set name = 'Rex, Inc.' where id = 8`);
    const { headers, body } = await get('/dashboard/keys.csv?sort=id');
    expect(headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8' });
    const lines = body.split('\r\n');
    expect(lines[0]).toMatch(/^\uFEFF"id","name","plan_id","state",/);
    expect(lines[6]).toMatch(/^"6","'=HYPERLINK\(""http:\/\/evil\.example""\)","pro","live",/);
    expect(lines[8]).toMatch(/^"8","Rex, Inc\.","pro",/);
    expect(lines).toHaveLength(125);
  });

  it('builds a view once for all open tabs', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => get('/dashboard/data/summary')));
    expect(new Set(made.map(({ body }) => body)).size).toBe(1);
    expect((await get('/dashboard/data/summary?other=1')).body).toBe(made[0]?.body);
    expect(proxy.connections).toBe(1);
  });

  it('rebuilds a view after ten seconds', async () => {
    const now = performance.now.bind(performance);
    const madeAt = async (laterMs: number) => {
      jest.spyOn(performance, 'now').mockImplementation(() => now() + laterMs);
      return (await view<{ now: string }>('summary')).now;
    };
    const first = await madeAt(0);
    expect(await madeAt(5000)).toBe(first);
    expect(await madeAt(10_000)).not.toBe(first);
    jest.restoreAllMocks();
  });

  it('cancels a slow statement, continues with others, and loses nothing', async () => {
    const lock = await holdOpen(database.url, 'lock table api_key_usage_hours in access exclusive mode', []);
    const [hours, summary] = await Promise.all([
      get('/dashboard/data/hours'),
      get('/dashboard/data/summary'),
    ]);
    await lock.stop();
    expect(hours).toMatchObject({
      status: 503,
      body: expect.stringContaining('the database took too long.'),
    });
    expect(summary.status).toBe(200);
    expect((await get('/dashboard/data/hours')).status).toBe(200);
  });

  it('says that the database is away, and is back with it', async () => {
    await view('summary');
    await proxy.mode('close');
    const away = await get('/dashboard/data/attention');
    expect([away.status, (JSON.parse(away.body) as Body).message]).toEqual([
      503,
      expect.stringMatching(/\w/),
    ]);
    await proxy.mode('pass');
    expect((await get('/dashboard/data/attention')).status).toBe(200);
  });
});
