import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS_DIRECTORY } from '../src/database/migration-files.js';
import { migrate } from '../src/database/migrations.js';
import { SESSION_SETTINGS } from '../src/database/session-settings.js';
import { setHostileSettings, SHOWN_SETTINGS } from './support/hostile-settings.js';
import { addPet, type OrderBody, placeOrder } from './support/store.js';
import { useService } from './support/use-service.js';

const service = useService({
  prepare: async (url) => {
    await setHostileSettings(url);
  },
});

describe('settings of the database and of the role in the database', () => {
  it('do not reach the sessions of requests, of admission and of Prisma', async () => {
    for (const pool of service.prisma.pools.all) {
      expect((await pool.query(SHOWN_SETTINGS)).rows).toEqual([SESSION_SETTINGS]);
    }
    expect(await service.prisma.$queryRawUnsafe(SHOWN_SETTINGS)).toEqual([SESSION_SETTINGS]);
  });

  it('do not reach migrations', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'session-settings-'));
    await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
    await mkdir(join(directory, '20300101000000_next'));
    await writeFile(
      join(directory, '20300101000000_next', 'migration.sql'),
      `create table shown as ${SHOWN_SETTINGS};`,
    );
    await migrate({ connectionString: service.databaseUrl, directory });
    await rm(directory, { recursive: true });
    expect((await service.pool.query('select * from shown')).rows).toEqual([SESSION_SETTINGS]);
  });

  it('leave the times of an order as they are', async () => {
    const petId = await addPet(service);
    const before = Date.now();
    const response = await placeOrder(service, petId);
    const placed = (await response.json()) as OrderBody;
    expect(response.status).toBe(201);
    expect(Math.abs(Date.parse(placed.placedAt) - before)).toBeLessThan(60_000);
    expect(placed.updatedAt).toBe(placed.placedAt);
    expect(await (await service.get(`/v1/store/orders/${placed.id}`)).json()).toEqual(placed);
  });
});
