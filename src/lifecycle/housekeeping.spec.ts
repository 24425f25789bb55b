import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ScheduleModule } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { eventually } from '../../test/support/eventually.js';
import { useDatabase } from '../../test/support/use-service.js';
import { ConnectionPools } from '../database/connection-pools.js';
import { PrismaService } from '../database/prisma.service.js';
import { loadConfig } from '../config/config.js';
import { Housekeeping } from './housekeeping.js';
import { Registry } from 'prom-client';
import { LONG_DEADLINES } from '../../test/support/deadlines.js';

const RETENTION_DAYS = 31;
const CHUNK = 500;
const HOUR_MS = 3_600_000;
const HOURS_RETENTION_DAYS = 20;
const config = loadConfig({
  USAGE_RETENTION_DAYS: String(RETENTION_DAYS),
  USAGE_HOURS_RETENTION_DAYS: String(HOURS_RETENTION_DAYS),
});
const warnings: unknown[] = [];
const logger = { warn: (...warning: unknown[]) => void warnings.push(warning) };

let registry: Registry;
const failures = async (): Promise<string | undefined> =>
  /^petstore_housekeeping_failures_total (\d+)$/m.exec(await registry.metrics())?.[1];

beforeEach(() => {
  warnings.splice(0);
  registry = new Registry();
});

describe('Housekeeping', () => {
  const database = useDatabase();
  let prisma: PrismaService;

  beforeAll(() => {
    const pools = new ConnectionPools({
      ...config.database,
      ...LONG_DEADLINES,
      url: database.url,
      onConnectionLost: () => undefined,
    });
    prisma = new PrismaService(pools);
  });
  afterAll(() => prisma.close());
  beforeEach(async () => {
    // Twenty keys, with today and each of the hundred days before.
    await database.pool.query('truncate api_key_usage, idempotency_keys');
    await database.pool.query(
      `insert into api_key_usage (api_key_id, day, admitted, refused)
       select key, (now() at time zone 'UTC')::date - days, 1, 0
       from generate_series(1, 20) as key, generate_series(0, 100) as days`,
    );
    await database.pool.query(
      `insert into idempotency_keys (api_key_id, key, fingerprint, resource_id, answer, expires_at)
       select 1, number::text, sha256(''), 1, '', now() + number * interval '1 minute'
       from generate_series(-700, 10) as number`,
    );
  });

  async function left(): Promise<{ days: number; oldest: number; keys: number }> {
    const { rows } = await database.pool.query<{ days: number; oldest: number; keys: number }>(
      `select count(*)::int as days, max((now() at time zone 'UTC')::date - day)::int as oldest,
              (select count(*)::int from idempotency_keys) as keys
       from api_key_usage`,
    );
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    return row;
  }

  it('deletes hourly usage by its own retention, and bans and outages with the days', async () => {
    await database.pool.query(
      'truncate api_key_usage_hours, address_usage_hours, api_key_bans, database_outages',
    );
    await database.pool.query(
      `insert into api_key_usage_hours
       select date_trunc('day', now(), 'UTC') - hours * interval '1 hour', key, 'listPets', 'success', 1, 1
       from generate_series(1, 10) as key, generate_series(0, 40 * 24 - 1) as hours`,
    );
    await database.pool.query(
      `insert into address_usage_hours
       select date_trunc('day', now(), 'UTC') - hours * interval '1 hour', 'limited', 1
       from generate_series(0, 40 * 24 - 1) as hours`,
    );
    await database.pool.query(
      `insert into api_key_bans
       select 7, now() - days * interval '1 day', now() - days * interval '1 day' + interval '1 hour', 60, 1000
       from generate_series(1, 40) as days`,
    );
    await database.pool.query(
      `insert into database_outages
       select 'replica', now() - days * interval '1 day', now() - days * interval '1 day' + interval '1 hour', 0
       from generate_series(1, 40) as days`,
    );
    await new Housekeeping(prisma, config, logger, registry).run();
    const { rows } = await database.pool.query(
      `select count(*)::int as hours, min(hour) = date_trunc('day', now(), 'UTC') - interval '${HOURS_RETENTION_DAYS} days' as whole_days,
              (select count(*)::int from address_usage_hours) as hours_of_addresses,
              (select count(*)::int from api_key_bans) as bans,
              (select count(*)::int from database_outages) as outages
       from api_key_usage_hours`,
    );
    expect(rows).toEqual([
      {
        hours: 10 * (HOURS_RETENTION_DAYS * 24 + 1),
        whole_days: true,
        hours_of_addresses: HOURS_RETENTION_DAYS * 24 + 1,
        bans: RETENTION_DAYS,
        outages: RETENTION_DAYS,
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('shares the work among replicas that do it at once', async () => {
    const replicas = Array.from(
      { length: 4 },
      () => new Housekeeping(prisma, config, logger, new Registry()),
    );
    await Promise.all(replicas.map((replica) => replica.run()));
    expect(await left()).toEqual({ days: 20 * (RETENTION_DAYS + 1), oldest: RETENTION_DAYS, keys: 10 });
  });

  it('logs and counts a failure, and tries again at the next run', async () => {
    const housekeeping = new Housekeeping(prisma, config, logger, registry);
    await database.pool.query('alter table api_key_usage rename to usage_elsewhere');
    await housekeeping.run();
    await database.pool.query('alter table usage_elsewhere rename to api_key_usage');
    expect([warnings.length, await failures()]).toEqual([1, '1']);
    await housekeeping.run();
    expect(await failures()).toBe('1');
    expect(await left()).toMatchObject({ oldest: RETENTION_DAYS });
  });

  it('continues after a partial chunk, because another replica may have deleted part of it', async () => {
    const write = prisma.pools.writes.run.bind(prisma.pools.writes);
    const writes = jest.spyOn(prisma.pools.writes, 'run').mockImplementation(async (send) => {
      const { count } = await write<{ readonly count: number }>(send as never);
      return { count: Math.min(count, 1) };
    });
    await new Housekeeping(prisma, config, logger, registry).run();
    writes.mockRestore();
    expect(await left()).toEqual({ days: 20 * (RETENTION_DAYS + 1), oldest: RETENTION_DAYS, keys: 10 });
  });

  it('stops after the chunk that is being deleted', async () => {
    const write = prisma.pools.writes.run.bind(prisma.pools.writes);
    const gate = new EventEmitter();
    const writes = jest.spyOn(prisma.pools.writes, 'run').mockImplementation(async (send) => {
      await once(gate, 'open');
      return await write(send);
    });
    const housekeeping = new Housekeeping(prisma, config, logger, registry);
    void housekeeping.run();
    await eventually(() => expect(writes).toHaveBeenCalledTimes(1));
    const stopped = housekeeping.close().then(() => 'stopped');
    expect(await Promise.race([stopped, Promise.resolve('running')])).toBe('running');
    gate.emit('open');
    await stopped;
    expect(writes).toHaveBeenCalledTimes(1);
    writes.mockRestore();
    expect(await left()).toMatchObject({ days: 20 * 101, keys: 711 - CHUNK });
  });

  it('runs once an hour until the application is closed', async () => {
    const reads = jest.spyOn(prisma.pools.reads, 'run').mockRejectedValue(new Error('no database'));
    jest.useFakeTimers();
    try {
      const module = await Test.createTestingModule({
        imports: [ScheduleModule.forRoot()],
        providers: [{ provide: Housekeeping, useValue: new Housekeeping(prisma, config, logger, registry) }],
      }).compile();
      await module.init();
      for (let hour = 1; hour <= 3; hour += 1) {
        await jest.advanceTimersByTimeAsync(HOUR_MS);
        expect(warnings).toHaveLength(hour);
      }
      await module.close();
      await jest.advanceTimersByTimeAsync(10 * HOUR_MS);
      expect(warnings).toHaveLength(3);
    } finally {
      jest.useRealTimers();
      reads.mockRestore();
    }
  });
});
