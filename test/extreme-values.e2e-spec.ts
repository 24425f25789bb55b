import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { maxHeaderSize } from 'node:http';
import { Client, type Pool } from 'pg';
import { Dashboard } from '../src/monitoring/dashboard/dashboard.js';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { issueKeys } from './support/issue-keys.js';
import { petstoreOn } from './cli/support/petstore.js';
import { openTestPool } from './support/test-pool.js';
import { grantRoles, loginAs, type TestLogin } from './support/operator-roles.js';
import { send } from './support/send.js';
import { rejectionOf, selectOne } from './support/sql-outcome.js';
import { useDatabase, useService } from './support/use-service.js';

const NOON = Date.UTC(2026, 10, 20, 12);
const COUNT_MAX = 2n ** 62n - 1n;
const BIGINT_MAX = 2n ** 63n - 1n;

const clock = { nowMs: NOON };
let login: TestLogin;
const service = useService({
  clock: { nowMs: () => clock.nowMs },
  environment: { BAN_AFTER_REFUSALS: '1000', ADDRESS_LIMIT_PER_MINUTE: '1000' },
  prepare: async (databaseUrl) => {
    await grantRoles(databaseUrl, 'superuser');
    login = await loginAs('petstore_service', databaseUrl);
    return login.url;
  },
});
afterAll(() => login.drop());

describe('the buffer of HAProxy', () => {
  it('holds the largest page and the largest request, so that no slow client ties up a replica', async () => {
    const configuration = await readFile('deploy/haproxy/haproxy.cfg', 'utf8');
    const bufferBytes = Number(/^ {2}tune\.bufsize (\d+)$/m.exec(configuration)?.[1]);
    await service.pool.query(
      `insert into pets (id, name, category_id, status)
       select ${BIGINT_MAX} - n, repeat(chr(1), 254) || 'x', -${BIGINT_MAX}, 'available' from generate_series(1, 100) as n`,
    );
    const { key } = await service.issueKey();
    const page = await service.fetch('/v1/pets?sort=-id&limit=100', { key });
    const pageBytes = (await page.arrayBuffer()).byteLength;
    await service.pool.query(`delete from pets where id >= ${BIGINT_MAX} - 100`);
    expect(pageBytes).toBeGreaterThan(160_000);
    expect(bufferBytes).toBeGreaterThan(pageBytes + maxHeaderSize);
    expect(bufferBytes).toBeGreaterThan(service.config.bodyBytesMax + maxHeaderSize);
  });
});

describe('the role of the service', () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ connectionString: login.url });
    await client.connect();
    const { key } = await service.issueKey();
    await send(service.origin, { key });
    await service.pool.query(`insert into pets (name, category_id, status) values ('Rex', 1, 'available')`);
    await service.pool.query(`insert into orders (pet_id) select id from pets limit 1`);
    await service.pool.query(`insert into api_key_usage values (1, '2026-11-01', 5, 5)`);
    await service.pool.query(
      `insert into api_key_usage_hours values ('2026-11-01 00:00Z', 1, 'listPets', 'success', 5, 5)`,
    );
  });
  afterAll(() => client.end());

  const HOUR = `api_key_usage_hours values ('2026-11-02 00:00Z', 1`;
  it.each([
    ['23514', `insert into api_key_usage select id, current_date, ${BIGINT_MAX}, 0 from api_keys`],
    ['23514', `insert into api_key_usage select id, current_date, 0, ${COUNT_MAX + 1n} from api_keys`],
    ['23514', `insert into api_key_usage values (1, '290000-01-01', 1, 1)`],
    ['23514', `insert into api_key_usage values (1, 'infinity', 1, 1)`],
    ['23514', `insert into api_key_usage values (1, '4000-01-01 BC', 1, 1)`],
    ...['minute_admitted', 'minute_refused', 'day_admitted', 'day_refused'].map((column) => [
      '23514',
      `update api_key_counters set ${column} = ${COUNT_MAX + 1n}`,
    ]),
    ...['minute_admitted', 'minute_refused', 'day_admitted', 'day_refused', 'generation'].map((column) => [
      '23514',
      `update api_key_counters set ${column} = -1`,
    ]),
    ['23514', `update api_key_counters set generation = ${COUNT_MAX + 1n}`],
    ...['290000-01-01 00:00Z', 'infinity'].map((minute) => [
      '23514',
      `update api_key_counters set minute = '${minute}', day = ('${minute}'::timestamptz at time zone 'UTC')::date`,
    ]),
    ['23514', `update api_key_counters set banned_at = '-infinity', banned_until = '-infinity'`],
    ['23514', `update api_key_counters set month_before = -1`],
    ['23514', `update api_key_counters set month_before = ${COUNT_MAX + 1n}`],
    ['23514', `update api_key_counters set month = '290000-01-01'`],
    ['23514', `update api_key_counters set usage_reset_at = 'infinity'`],
    ['23514', `update api_key_counters set usage_reset_at = '0001-12-31 23:59:59.999999Z BC'`],
    ['23514', `update api_key_counters set usage_reset_at = '10000-01-01 00:00Z'`],
    ['23514', `insert into ${HOUR}, 'listPets', 'success', ${BIGINT_MAX}, 1)`],
    ['23514', `insert into ${HOUR}, 'listPets', 'success', 1, ${BIGINT_MAX})`],
    ['23514', `insert into ${HOUR}, repeat('x', 101), 'success', 1, 1)`],
    ['23514', `insert into ${HOUR}, E'\\u001b[2J', 'success', 1, 1)`],
    [
      '23514',
      `insert into api_key_usage_hours values ('290000-01-01 00:00Z', 1, 'listPets', 'success', 1, 1)`,
    ],
    // Views go through all hours from the first.
    ['23514', `insert into api_key_usage_hours values ('0001-01-01 00:00Z', 1, 'listPets', 'success', 1, 1)`],
    ['23514', `insert into api_key_bans values (1, '290000-01-01 00:00Z', '290000-01-01 00:00Z', 1, 1)`],
    ['23514', `insert into api_key_bans values (1, now(), 'infinity', 1, 1)`],
    ['23514', `insert into api_key_bans values (1, now(), now(), -1, 1)`],
    ['23514', `insert into database_outages values ('', now(), now(), 1)`],
    ['23514', `insert into database_outages values (E'\u001b[2J', now(), now(), 1)`],
    ['23514', `insert into database_outages values ('replica', now(), now() - interval '1 second', 1)`],
    ['23514', `insert into database_outages values ('replica', now(), 'infinity', 1)`],
    ['23514', `insert into database_outages values ('replica', now(), now(), ${BIGINT_MAX})`],
    ['23514', `insert into idempotency_keys values (1, 'k', sha256(''), 1, repeat('x', 65537), now())`],
    ['23514', `insert into idempotency_keys values (1, 'k', sha256(''), 1, '', 'infinity')`],
    ['23514', `update pets set created_at = 'infinity'`],
    ['23514', `update orders set placed_at = '290000-01-01 00:00Z', updated_at = '290000-01-01 00:00Z'`],
    ['23514', `insert into orders (pet_id, placed_at, updated_at) values (1, '-infinity', now())`],
    ['42501', `update pet_counts set version = ${BIGINT_MAX}`],
    ['42501', `insert into pet_counts values (2147483647, 0, 0, 0, 0)`],
    ['42501', 'delete from api_key_usage'],
    ['42501', 'delete from api_key_usage_hours'],
    ['42501', 'delete from api_key_bans'],
    ['42501', 'delete from database_outages'],
    ['42501', 'update api_key_bans set ends_at = now()'],
    ['23001', 'update api_key_usage set admitted = 0'],
    ['23001', 'update api_key_usage set refused = 4'],
    ['23001', `update api_key_usage set day = '2026-10-01'`],
    ['23001', 'update api_key_usage_hours set requests = 0'],
    ['23001', `update api_key_usage_hours set outcome = 'limited'`],
  ])('may not, with %s: %s', async (code, statement) => {
    expect(await rejectionOf(client, statement ?? '')).toMatchObject({ code });
  });
});

/** A key whose present windows and history the service's role has filled up to the bound. */
async function fullKey(limits: object = {}): Promise<{ readonly id: bigint; readonly key: string }> {
  const issued = await service.issueKey(limits);
  await send(service.origin, { key: issued.key });
  await service.pool.query(
    `update api_key_counters set minute_refused = count_max(), day_admitted = count_max(), day_refused = count_max()
     where api_key_id = $1`,
    [issued.id],
  );
  await service.pool.query(`insert into api_key_usage select $1, '2026-11-20', count_max(), count_max()`, [
    issued.id,
  ]);
  return issued;
}

describe('counts at their bound', () => {
  beforeEach(() => {
    clock.nowMs = NOON;
  });

  it('are rejected like any other, and stay at the bound', async () => {
    const { id, key } = await fullKey({ perMinute: 1 });
    expect((await send(service.origin, { key })).status).toBe(429);
    expect(
      await selectOne(
        service.pool,
        'select minute_refused, day_refused from api_key_counters where api_key_id = $1',
        [id],
      ),
    ).toEqual({ minute_refused: COUNT_MAX, day_refused: COUNT_MAX });
  });

  it.each([
    ['at midnight', () => Promise.resolve(void (clock.nowMs = Date.UTC(2026, 10, 21)))],
    ['at a reset', (id: bigint) => service.pool.query('select reset_api_key_usage($1)', [id])],
  ])('keep no request from being admitted %s, of this key or another', async (_when, begin) => {
    const full = await fullKey();
    const other = await service.issueKey();
    await begin(full.id);
    const responses = await Promise.all(
      [full, other, full, other].map(({ key }) => send(service.origin, { key })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(
      await selectOne(service.pool, 'select admitted, refused from api_key_usage where api_key_id = $1', [
        full.id,
      ]),
    ).toEqual({ admitted: COUNT_MAX, refused: COUNT_MAX });
  });

  it('do not block writing hourly usage, and every view can sum them', async () => {
    const keys = [await fullKey(), await service.issueKey()];
    await service.pool.query(
      `insert into api_key_usage_hours
       select h, $1::bigint, operation, outcome, count_max(), count_max()
       from generate_series(date_trunc('hour', now()) - interval '23 hours', now(), '1 hour') as h,
         unnest(array['listPets', 'getPet', 'none']) as operation, unnest(array['success', 'limited', 'client_error', 'server_error']) as outcome
       union all
       select '2026-11-20 12:00Z'::timestamptz, $1, 'listPets', 'success', count_max(), count_max()
       union all
       select date_trunc('hour', now()), 1000000 + n, 'listPets', 'success', count_max(), count_max() from generate_series(1, 2000) as n`,
      [keys[0]?.id],
    );
    for (const { key } of keys) await send(service.origin, { key });
    await service.app.get(UsageRecorder).write();
    const { rows } = await service.pool.query<{ requests: bigint }>(
      `select requests from api_key_usage_hours
       where hour = '2026-11-20 12:00Z' and api_key_id = any ($1) and operation = 'listPets' and outcome = 'success' order by 1`,
      [keys.map(({ id }) => id)],
    );
    expect(rows.at(-1)?.requests).toBe(COUNT_MAX);
    expect(rows[0]?.requests).toBe(1n);
    const { rows: views } = await service.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'`,
    );
    for (const { name } of views)
      expect(await rejectionOf(service.pool, `select * from ${name}`)).toBeUndefined();
    const petstore = petstoreOn(service.databaseUrl);
    for (const command of ['top', 'near-limit', 'bans', `hours ${keys[0]?.id}`])
      expect(await petstore(['usage', ...command.split(' ')])).toMatchObject({ code: 0 });
    const dashboard = new Dashboard({ isOn: true, hosts: [] });
    dashboard.serve(login.url, 'http://localhost:3000', () => []);
    for (const data of ['summary', 'hours', 'attention', 'keys', `key?key=${keys[0]?.id}`])
      expect(await dashboard.respond({ target: `/dashboard/data/${data}`, host: 'localhost' })).toMatchObject(
        {
          status: 200,
        },
      );
    await dashboard.close();
  });
});

describe('an error of the database about one key', () => {
  it('rejects only requests of that key, and costs no connection', async () => {
    clock.nowMs = NOON;
    const [wrong, other] = [await service.issueKey(), await service.issueKey()];
    await service.pool.query(
      `alter table api_key_counters add constraint wrong check (api_key_id <> ${wrong.id} or minute_admitted = 0)`,
    );
    const watcher = openTestPool(login.url, { max: 1 });
    const connections = async (): Promise<unknown[]> =>
      (
        await watcher.query(
          `select pid from pg_stat_activity where query ~ 'with clock as' and pid <> pg_backend_pid() order by pid`,
        )
      ).rows;
    const statuses = (): Promise<number[]> =>
      Promise.all(
        [wrong, other, wrong, other, other].map(
          async ({ key }) => (await send(service.origin, { key })).status,
        ),
      );
    await send(service.origin, { key: other.key });
    const before = await connections();
    for (let times = 0; times < 5; times += 1) expect(await statuses()).toEqual([500, 200, 500, 200, 200]);
    expect(await connections()).toEqual(before);
    expect(before.length).toBeGreaterThan(0);
    await watcher.end();
    await service.pool.query('alter table api_key_counters drop constraint wrong');
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
  });
});

describe('values that an owner can write', () => {
  const database = useDatabase(1);
  let pool: Pool;
  beforeAll(async () => {
    pool = database.pool;
    await issueKeys(pool, 3);
    await pool.query('alter table api_key_usage drop constraint api_key_usage_bounded');
    await pool.query('alter table api_key_counters drop constraint api_key_counters_instants');
    await pool.query(
      `insert into api_key_usage values (1, '290000-01-01', 1, 1), (1, '4000-01-01 BC', 1, 1), (1, 'infinity', 1, 1)`,
    );
    await pool.query(`delete from api_key_counters`);
    await pool.query(`alter table api_keys disable trigger api_keys_keep_identity`);
    await pool.query(`update api_keys set created_at = '290000-01-01 00:00Z' where id = 2`);
    await pool.query(
      `update api_keys set created_at = '4000-01-01 00:00Z BC', expires_at = 'infinity' where id = 3`,
    );
  });

  it.each([
    ['keys', 'list'],
    ['keys', 'list', '--json'],
    ['keys', 'show', '1'],
    ['keys', 'usage', '1'],
    ['keys', 'suspend', '1'],
    ['usage', 'hours', '1'],
    ['plans', 'list'],
  ])('are printed: petstore %s %s %s', async (...words) => {
    const { code, stdout, stderr } = await petstoreOn(database.url)(
      words.filter((word) => word !== undefined),
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('Invalid');
  });

  it('do not prevent revocation', async () => {
    expect(await petstoreOn(database.url)(['keys', 'revoke', '1', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^last_used_at +infinity$/m),
    });
    const { rows } = await pool.query('select state from api_key_overview where id = 1');
    expect(rows).toEqual([{ state: 'revoked' }]);
  });
});
