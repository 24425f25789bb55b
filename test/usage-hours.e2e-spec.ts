import { beforeEach, describe, expect, it } from '@jest/globals';
import { UsageRecorder } from '../src/usage/usage-recorder.js';
import { USAGE_OUTCOMES } from '../src/usage/hour-counts.js';
import type { Usage } from '../src/usage/usage.dto.js';
import { COUNTS_MAX } from '../src/usage/usage.repository.js';
import { holdOpen } from './support/operators.js';
import { send } from './support/send.js';
import { useReplicas, useService } from './support/use-service.js';

const LAST_MS = Date.UTC(2026, 10, 20, 23, 59, 59, 900);
const MIDNIGHT_MS = Date.UTC(2026, 10, 21);

const clock = { nowMs: LAST_MS };
const lines: string[] = [];
const service = useService({
  clock: { nowMs: () => clock.nowMs },
  provokes503: true,
  environment: { BAN_AFTER_REFUSALS: '2', ADDRESS_LIMIT_PER_MINUTE: '1000' },
  onLogLine: (line) => lines.push(line),
});

const replicas = useReplicas(service, 1, {
  clock: { nowMs: () => clock.nowMs },
  environment: { ADDRESS_LIMIT_PER_MINUTE: '1000' },
});

beforeEach(() => {
  clock.nowMs = LAST_MS;
});

/** What is stored of a key after all that was counted has been written. */
async function hoursOf(id: bigint): Promise<unknown[]> {
  await service.app.get(UsageRecorder).write();
  const { rows } = await service.pool.query<{ row: string }>(
    `select to_char(hour at time zone 'UTC', 'DD HH24') || ' ' || operation || ' ' || outcome || ' ' || requests as row
     from api_key_usage_hours where api_key_id = $1 order by hour, operation, outcome`,
    [id],
  );
  return rows.map(({ row }) => row);
}

const sql = (text: string, ...values: unknown[]) => service.pool.query(text, values);

describe('the usage of a key by hour', () => {
  it('has the peak minute of the hour, over all replicas, without rejections', async () => {
    const { id, key } = await service.issueKey({ perMinute: 7 });
    const times = async (count: number, at: { readonly origin: string } = service): Promise<void> => {
      for (let time = 0; time < count; time += 1) await send(at.origin, { key });
    };
    clock.nowMs = LAST_MS - 120_000;
    await times(2);
    clock.nowMs = LAST_MS - 60_000;
    await times(3);
    const [replica] = replicas;
    await times(5, replica);
    clock.nowMs = LAST_MS;
    await times(1);
    await replica?.app.get(UsageRecorder).write();
    await service.app.get(UsageRecorder).write();
    const { rows } = await sql(
      'select max(minute_peak)::int as peak, sum(requests)::int as requests from api_key_usage_hours where api_key_id = $1',
      id,
    );
    expect(rows).toEqual([{ peak: 7, requests: 11 }]);
  });

  it('has each response by operation and outcome', async () => {
    const { id, key } = await service.issueKey();
    const request = (path: string, method = 'GET', body?: object) =>
      service.fetch(path, {
        key,
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    await request('/v1/pets');
    await request('/v1/pets?limit=0');
    await request('/v1/pets', 'POST', { name: 'Rex', categoryId: 1 });
    await request('/v1/pets/999');
    await request('/nowhere');
    const lock = await holdOpen(service.databaseUrl, 'lock table pets in access exclusive mode', []);
    await request('/v1/pets');
    await lock.stop();
    expect(await hoursOf(id)).toEqual([
      '20 23 createPet success 1',
      '20 23 getPet client_error 1',
      '20 23 listPets client_error 1',
      '20 23 listPets server_error 1',
      '20 23 listPets success 1',
      '20 23 none client_error 1',
    ]);
  });

  it('counts the 403 of a read-only key as a client error', async () => {
    const { id, key } = await service.issueKey();
    await sql(`select set_api_key_access($1, 'read')`, id);
    await send(service.origin, { key, method: 'POST' });
    expect(await hoursOf(id)).toEqual(['20 23 createPet client_error 1']);
  });

  it('begins a new hour with the hour, and with the day', async () => {
    const { id, key } = await service.issueKey();
    await send(service.origin, { key });
    clock.nowMs = MIDNIGHT_MS;
    await send(service.origin, { key });
    await send(service.origin, { key });
    clock.nowMs = MIDNIGHT_MS + 3_600_000;
    await send(service.origin, { key });
    expect(await hoursOf(id)).toEqual([
      '20 23 listPets success 1',
      '21 00 listPets success 2',
      '21 01 listPets success 1',
    ]);
  });

  it('is in the hour of the counting window if a clock is ahead', async () => {
    const { id, key } = await service.issueKey();
    clock.nowMs = MIDNIGHT_MS;
    await send(service.origin, { key });
    // Another replica has opened the next day's window already.
    clock.nowMs = LAST_MS;
    await send(service.origin, { key });
    expect(await hoursOf(id)).toEqual(['21 00 listPets success 2']);
  });

  it('is in GET /v1/usage for the last 24 hours', async () => {
    const { id, key } = await service.issueKey();
    await sql(
      `insert into api_key_usage_hours values
         ('2026-11-19 23:00Z', $1, 'listPets', 'success', 1, 1),
         ('2026-11-20 00:00Z', $1, 'listPets', 'success', 9007199254740993, 1),
         ('2026-11-20 22:00Z', $1, 'createPet', 'client_error', 3, 1)`,
      id,
    );
    await send(service.origin, { key });
    await hoursOf(id);
    const response = await service.fetch('/v1/usage', { key });
    const text = await response.text();
    // To the digit.
    expect(text).toContain('9007199254740993');
    const { hours } = JSON.parse(text.replaceAll(/\d{16,}/g, '"$&"')) as Usage;
    expect(hours).toHaveLength(24);
    expect(hours.filter(({ counts }) => counts.length > 0)).toEqual([
      {
        hour: '2026-11-20T00:00:00.000Z',
        counts: [{ operation: 'listPets', outcome: 'success', requests: '9007199254740993' }],
      },
      {
        hour: '2026-11-20T22:00:00.000Z',
        counts: [{ operation: 'createPet', outcome: 'client_error', requests: 3 }],
      },
      {
        hour: '2026-11-20T23:00:00.000Z',
        counts: [{ operation: 'listPets', outcome: 'success', requests: 1 }],
      },
    ]);
  });
});

const addHours = (id: bigint, operations: string) =>
  sql(
    `insert into api_key_usage_hours
     select '2026-11-20 22:00Z', $1, operation, 'success', 1, 1 from ${operations} as named (operation)`,
    id,
  );
const operationsOf = async (key: string): Promise<readonly string[]> => {
  const { hours } = (await (await service.fetch('/v1/usage', { key })).json()) as Usage;
  return hours.flatMap(({ counts }) => counts.map(({ operation }) => operation));
};

describe('the operations of the hours', () => {
  it('come from one table, which bounds the rows of a key per hour', async () => {
    const { id, key } = await service.issueKey();
    await expect(addHours(id, `(values ('of my own'))`)).rejects.toMatchObject({ code: '23503' });
    await addHours(id, 'operations');
    const { rows } = await sql('select operation from operations order by operation');
    expect(await operationsOf(key)).toEqual(rows.map(({ operation }: { operation: string }) => operation));
    expect(rows.length * USAGE_OUTCOMES.length).toBeLessThanOrEqual(COUNTS_MAX);
  });

  it('may be those of a later release', async () => {
    const { id, key } = await service.issueKey();
    await sql(`insert into operations values ('paintPet')`);
    await addHours(id, `(values ('paintPet'))`);
    expect(await operationsOf(key)).toEqual(['paintPet']);
  });

  it('stay readable and bounded for rows older than the table', async () => {
    const { id, key } = await service.issueKey();
    const reference = 'constraint api_key_usage_hours_operation_fkey';
    await sql(`alter table api_key_usage_hours drop ${reference}`);
    await addHours(id, `(select 'of my own ' || n from generate_series(1, 60000) as n)`);
    await sql(
      `alter table api_key_usage_hours add ${reference} foreign key (operation) references operations not valid`,
    );
    const operations = await operationsOf(key);
    expect([operations.length, operations[0]]).toEqual([COUNTS_MAX, expect.stringMatching(/^of my own /)]);
  });
});

describe('a ban', () => {
  it('leaves a row with the limits of the key, and a line in the log', async () => {
    const { id, key } = await service.issueKey({ perMinute: 1, perDay: 50 });
    for (let request = 0; request < 4; request += 1) await send(service.origin, { key });
    const { rows } = await sql(
      `select extract(epoch from ends_at - began_at)::int as seconds, minute_limit, day_limit
       from api_key_bans where api_key_id = $1`,
      id,
    );
    expect(rows).toEqual([{ seconds: 60, minute_limit: 1, day_limit: 50 }]);
    expect(lines.join('')).toContain(`key ${id} is banned until 2026-11-21T00:00:59.900Z`);
  });
});

describe('the requests without a key by hour', () => {
  const strict = useService({
    clock: { nowMs: () => clock.nowMs },
    environment: { ADDRESS_LIMIT_PER_MINUTE: '3' },
  });
  const others = useReplicas(strict, 1, {
    clock: { nowMs: () => clock.nowMs },
    environment: { ADDRESS_LIMIT_PER_MINUTE: '3' },
  });

  it('counts rejections by address, over all replicas', async () => {
    const hours = async (): Promise<unknown[]> => {
      for (const { app } of [strict, ...others]) await app.get(UsageRecorder).write();
      const { rows } = await strict.pool.query<{ row: string }>(
        `select to_char(hour at time zone 'UTC', 'DD HH24') || ' ' || outcome || ' ' || requests as row
         from address_usage_hours order by hour, outcome`,
      );
      return rows.map(({ row }) => row);
    };
    const expired = await strict.issueKey();
    await strict.pool.query(`update api_keys set expires_at = '2001-01-01' where id = $1`, [expired.id]);
    for (const { origin } of [strict, ...others]) {
      // Neither of these is one: it needs no key, or has one.
      await fetch(`${origin}/openapi.json`);
      await send(origin, { key: strict.key });
      await send(origin, { key: expired.key });
      await send(origin, {});
      await send(origin, { key: 'psk_nonsense' });
      for (let time = 0; time < 4; time += 1) await send(origin, {});
    }
    expect(await hours()).toEqual(['20 23 limited 8', '20 23 unauthorized 4']);
    clock.nowMs = MIDNIGHT_MS;
    await send(strict.origin, {});
    expect(await hours()).toEqual(['20 23 limited 8', '20 23 unauthorized 4', '21 00 unauthorized 1']);
  });
});
