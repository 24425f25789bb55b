import { afterEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './support/eventually.js';
import { holdOpen, type OperatorAtWork } from './support/operators.js';
import { startService } from './support/service.js';
import { send as sendTo, tally } from './support/send.js';
import { selectOne } from './support/sql-outcome.js';
import { addPets, placeOrder } from './support/store.js';
import { type ServiceInUse, useService } from './support/use-service.js';

const service = useService({ provokes503: true });
/** Its requests wait for long, but its statements for a lock no longer than in a deployment. */
const patient = useService({ deadlines: { statementTimeoutMs: 950 } });
const PET = '{"name":"Rex","categoryId":1}';

let operator: OperatorAtWork<void> | undefined;
afterEach(() => release());

async function lock(
  table: string,
  mode = 'access exclusive',
  { databaseUrl }: ServiceInUse = service,
): Promise<void> {
  operator = await holdOpen(databaseUrl, `lock table ${table} in ${mode} mode`, []);
}
async function release(): Promise<void> {
  await operator?.stop();
  operator = undefined;
}

const number = async (select: string, { pool }: ServiceInUse = service): Promise<number> =>
  (await selectOne<{ number: number }>(pool, `select ${select} as number`)).number;

const WAITING = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

describe('a table that is locked for longer than the server waits for a lock', () => {
  it('rejects no request: a statement that was rolled back is sent again', async () => {
    await lock('pets', 'access exclusive', patient);
    const requests = Array.from({ length: 64 }, (_, n) => {
      if (n % 4 === 0) return patient.get('/v1/pets?limit=1');
      return patient.post('/v1/pets', PET, n % 4 === 1 ? { 'idempotency-key': `stall-${n}` } : {});
    });
    // The first statement that waited was rolled back, and one that began 0.4 s later waits.
    let first = Infinity;
    await eventually(async () => {
      const latest = await number(
        `(select max(extract(epoch from query_start))::float8 ${WAITING})`,
        patient,
      );
      first = Math.min(first, latest);
      expect(latest).toBeGreaterThan(first + 0.4);
    });
    await release();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, n) => (n % 4 === 0 ? 200 : 201)));
  });
});

describe('writes that wait for a table until their 503', () => {
  it.each([
    ['pets', () => service.post('/v1/pets', PET)],
    ['orders', (petId: bigint) => placeOrder(service, petId)],
  ])('leave nothing behind, however soon %s is free then', async (table, send) => {
    const petIds = await addPets(service, 20);
    const before = await number(`(select count(*)::int from ${table})`);
    await lock(table, 'share');
    const responses = await Promise.all(petIds.map(send));
    await release();
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));
    await eventually(async () => expect(await number(`(select count(*)::int ${WAITING})`)).toBe(0));
    expect(await number(`(select count(*)::int from ${table})`)).toBe(before);
  });
});

describe('the counters, while an operator keeps them locked', () => {
  it('leave no statement that would count later, and no session', async () => {
    // Short, so that many statements are given up in a short test.
    const environment = { DATABASE_STATEMENT_TIMEOUT_MS: '500' };
    const { databaseUrl } = service;
    const hasty = await startService({ databaseUrl, environment, provokes503: true });
    const { id, key } = await hasty.issueKey();
    const send = async (): Promise<number> => (await hasty.fetch('/v1/pets', { key })).status;
    expect(await send()).toBe(200);
    await lock('api_key_counters');
    const until = performance.now() + 4000;
    while (performance.now() < until) {
      await Promise.all(Array.from({ length: 5 }, send));
      await delay(20);
    }
    const sessions =
      await number(`(select count(*)::int from pg_stat_activity where application_name = 'petstore'
      and datname = current_database())`);
    expect(sessions).toBeLessThanOrEqual(service.config.database.poolMax + hasty.config.database.poolMax);

    // A statement that still waits for the lock runs now.
    await release();
    await eventually(async () => expect(await send()).toBe(200));
    const admitted = await number(
      `(select day_admitted::int from api_key_counters where api_key_id = ${id})`,
    );
    // The first request, the last one, and a group or two that had the lock when it was free.
    expect(admitted).toBeLessThanOrEqual(2 + 2 * 5);
    await hasty.close();
  });
});

it('locked counters of one key delay only requests of that key', async () => {
  const locked = await service.issueKey();
  const others = await Promise.all(Array.from({ length: 5 }, () => service.issueKey()));
  const holder = await holdOpen(
    service.databaseUrl,
    'select from api_key_counters where api_key_id = $1 for update',
    [locked.id],
  );
  let isHeld = true;
  // Without a pause, so that each batch would contain the key.
  const client = async (): Promise<void> => {
    while (isHeld) expect((await sendTo(service.origin, { key: locked.key })).status).toBe(503);
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  // The first batches find out.
  await eventually(async () => {
    const responses = Array.from({ length: 10 }, () =>
      Promise.all(others.map(({ key }) => sendTo(service.origin, { key }))),
    );
    expect(tally((await Promise.all(responses)).flat())).toEqual({ 200: 50 });
  });
  isHeld = false;
  await clients;
  await holder.stop();
  await eventually(async () => {
    expect((await sendTo(service.origin, { key: locked.key })).status).toBe(200);
  });
});
