import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { accept, silence, withFakePostgres } from '../../test/support/fake-postgres.js';
import { Batching } from '../batching/batching.js';
import { connectionTo } from '../config/database-tls.js';
import { ConnectionPools } from './connection-pools.js';
import { DatabasePool, type SendingPool } from './database-client.js';
import {
  BrokenConnectionError,
  classifyDatabaseError,
  isUnavailable,
  NotSentError,
} from '../errors/database-errors.js';
import { PrismaService } from './prisma.service.js';
import { FIND_CATEGORIES } from '../categories/categories.sql.js';
import { type Statement, statement } from './statement.js';
import { LONG_DEADLINES } from '../../test/support/deadlines.js';
import { useDatabase } from '../../test/support/use-service.js';

const database = useDatabase();
let prisma: PrismaService;

const warnings: string[] = [];

const openPrisma = (namedStatements: boolean): PrismaService =>
  new PrismaService(
    new ConnectionPools({
      url: database.url,
      namedStatements,
      poolMax: 5,
      ...LONG_DEADLINES,
      onConnectionLost: () => undefined,
      onWarning: (message) => warnings.push(message),
    }),
  );

beforeAll(() => {
  prisma = openPrisma(true);
});
afterAll(() => prisma.close());

/** A statement that is not declared, because a service of a later test would prepare it. It has no name in a session. */
const undeclared = (text: string): Statement => ({ name: '', text, pool: 'main' });

async function one(text: string, ...values: readonly unknown[]): Promise<unknown> {
  const [row] = await prisma.read<object>(undeclared(text), values);
  return row;
}

describe('an error that comes through Prisma', () => {
  it.each([
    ['select 1 / 0', 'statement-error'],
    [`select pg_cancel_backend(pg_backend_pid()), pg_sleep(5)`, 'server-timeout'],
    [`select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`, 'broken'],
    [`do $$ begin raise exception using errcode = '25006'; end $$`, 'rejected'],
    [`do $$ begin raise exception using errcode = '55P03'; end $$`, 'server-timeout'],
    [`do $$ begin raise exception using errcode = '0A000'; end $$`, 'statement-error'],
  ])('says as much as the driver’s: %s is %s', async (text, failure) => {
    const error: unknown = await one(text).catch((thrown: unknown) => thrown);
    expect(classifyDatabaseError(error)).toBe(failure);
  });

  it('is transient after a deadlock or a serialization failure', async () => {
    for (const code of ['40001', '40P01']) {
      const raised = one(`do $$ begin raise exception using errcode = '${code}'; end $$`);
      expect(isUnavailable(await raised.catch((thrown: unknown) => thrown))).toBe(true);
    }
  });
});

const preparedOn = async (service: PrismaService): Promise<readonly string[]> => {
  const { rows } = await service.pools.main.query<{ name: string }>(
    'select name from pg_prepared_statements',
  );
  return rows.map(({ name }) => name);
};

describe('a declared statement', () => {
  it('is prepared under its name', async () => {
    expect(await prisma.write(FIND_CATEGORIES, ['{7}'])).toHaveLength(1);
    expect(await preparedOn(prisma)).toEqual(['find_categories']);
  });

  it('is not prepared behind a pooler that keeps no prepared statements', async () => {
    const unnamed = openPrisma(false);
    try {
      expect(await unnamed.write(FIND_CATEGORIES, ['{7}'])).toHaveLength(1);
      expect(await preparedOn(unnamed)).toEqual([]);
    } finally {
      await unnamed.close();
    }
  });

  it('that writes leaves half of the connections to reads, and those that wait are counted', async () => {
    const { pools } = prisma;
    const batching = new Batching(prisma);
    const quick = undeclared('select 1 as one');
    const reads = batching.batchReads<number, object>({
      name: 'reads',
      send: async (items) => {
        const [row] = await prisma.read<object>(quick, []);
        return items.map(() => row as object);
      },
    });
    const stall = new AbortController();
    const released = once(stall.signal, 'abort');
    const stalled = Array.from({ length: 8 }, () => pools.writes.run(() => released));
    const rows = await Promise.all(Array.from({ length: 20 }, (_, number) => reads.load(number)));
    expect(rows).toEqual(Array.from({ length: 20 }, () => ({ one: 1 })));
    expect(pools.waiting).toBe(8 - 1);
    stall.abort();
    await Promise.all(stalled);
    expect(pools.waiting).toBe(0);
  });

  it('that writes is not sent later than it may be, however long it waits for its turn', async () => {
    const { pools } = prisma;
    const written = undeclared('insert into pets (name, category_id) values ($1, 1) returning id');
    const writes = new Batching(prisma).batchWrites<string, undefined>({
      name: 'writes',
      send: async (items, sendBefore) => {
        await prisma.write(written, [...items], sendBefore);
        return items.map(() => undefined);
      },
    });
    const stall = new AbortController();
    const stalled = pools.writes.run(() => once(stall.signal, 'abort'));
    const late = writes.load('late', performance.now() + pools.endsWithinMs + 50);
    await expect(late).rejects.toMatchObject({ reason: 'timed-out' });
    stall.abort();
    await stalled;
    await pools.writes.run(() => Promise.resolve());
    expect(await prisma.read(undeclared(`select from pets where name = 'late'`), [])).toEqual([]);
  });

  it('that writes is not sent later than it may be, however long it waits for a connection', async () => {
    const fresh = openPrisma(true);
    try {
      const { main } = fresh.pools;
      const written = undeclared('insert into pets (name, category_id) values ($1, 1) returning id');
      await expect(fresh.write(written, ['late'], performance.now() - 1)).rejects.toThrow(NotSentError);
      const held = await Promise.all(Array.from({ length: main.options.max }, () => main.connect()));
      const before = performance.now() + 20;
      const waiting = fresh.write(written, ['late'], before);
      while (performance.now() <= before) await new Promise(setImmediate);
      for (const connection of held) connection.release();
      await expect(waiting).rejects.toThrow(NotSentError);
      expect(await fresh.write(written, ['in time'], performance.now() + 60_000)).toHaveLength(1);
      expect(main.idleCount).toBe(main.totalCount);
      const names = undeclared(`select name from pets where name in ('late', 'in time')`);
      expect(await fresh.read(names, [])).toEqual([{ name: 'in time' }]);
    } finally {
      await fresh.close();
    }
  });

  it('that fails late is reported past its deadline', async () => {
    const now = jest.spyOn(performance, 'now');
    let report: Promise<unknown> | undefined;
    const pool: SendingPool = new DatabasePool(connectionTo(database.url), () => {
      now.mockReturnValue(Number.MAX_SAFE_INTEGER);
      report ??= pool.query('select 1');
    });
    const failed = pool.sendBefore(performance.now() + 60_000, () => pool.query('select 1 / 0'));
    await expect(failed).rejects.toThrow('division by zero');
    await expect(report).resolves.toMatchObject({ rowCount: 1 });
    now.mockRestore();
    await pool.end();
  });

  it('is not sent if the setup of its new connection times out', async () => {
    await withFakePostgres([accept, silence], async (port) => {
      const stalled = new PrismaService(
        new ConnectionPools({
          url: `postgresql://tester@127.0.0.1:${port}/petstore?sslmode=disable`,
          namedStatements: true,
          poolMax: 5,
          ...LONG_DEADLINES,
          connectTimeoutMs: 400,
          onConnectionLost: () => undefined,
        }),
      );
      const error: unknown = await stalled
        .read(undeclared('select 1'), [])
        .catch((thrown: unknown) => thrown);
      expect(classifyDatabaseError(error)).toBe('not-sent');
      await stalled.close();
    });
  });

  it('has a unique name', () => {
    expect(() => statement(FIND_CATEGORIES.name, 'select 2')).toThrow(/two statements/);
  });
});

it('names the setting to fix when a pooler switches sessions, once a minute', async () => {
  const pooled = openPrisma(true);
  const read = (): Promise<object[]> => pooled.read(FIND_CATEGORIES, ['{7}']);
  expect(pooled.pools.losesStatements).toBe(false);
  for (const times of [1, 2, 3, 4, 5]) {
    await read();
    await pooled.pools.main.query('deallocate all');
    await expect(read()).rejects.toThrow('prepared statement');
    expect(warnings.length).toBeLessThanOrEqual(times);
    expect(pooled.pools.losesStatements).toBe(times === 5);
  }
  await pooled.close();
  expect(warnings).toEqual([expect.stringContaining('set DATABASE_NAMED_STATEMENTS=off')]);
});

const pidOf = async (connection: PoolClient): Promise<number> =>
  (await connection.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? 0;

it('regains its own time-out once that of its role is fixed', async () => {
  const { admission } = prisma.pools;
  const timeout = async (): Promise<unknown> =>
    (await admission.query<{ statement_timeout: string }>('show statement_timeout')).rows[0];
  const own = await timeout();
  // As of a session that began while the role had it.
  await admission.query(`set statement_timeout = '20ms'`);
  await expect(admission.query('select pg_sleep(30)')).rejects.toThrow('statement timeout');
  expect(await timeout()).toEqual(own);
});

it('drops idle connections when one breaks, but not those opened since', async () => {
  const fresh = openPrisma(true);
  const { main } = fresh.pools;
  const broken = new BrokenConnectionError('Connection terminated unexpectedly');
  const [first, second, third] = await Promise.all([main.connect(), main.connect(), main.connect()]);
  const old = await pidOf(third);
  third.release();
  first.release(broken);
  const opened = await main.connect();
  const pid = await pidOf(opened);
  expect(pid).not.toBe(old);
  opened.release();
  second.release(broken);
  const again = await main.connect();
  expect(await pidOf(again)).toBe(pid);
  again.release(broken);
  const last = await main.connect();
  expect(await pidOf(last)).not.toBe(pid);
  last.release();
  await fresh.close();
});

it('drops them again when one breaks that has worked since', async () => {
  const fresh = openPrisma(true);
  const { main } = fresh.pools;
  const broken = new BrokenConnectionError('Connection terminated unexpectedly');
  const [first, second] = await Promise.all([main.connect(), main.connect()]);
  first.release(broken);
  second.release();
  const [survivor, other] = await Promise.all([main.connect(), main.connect()]);
  expect(survivor).toBe(second);
  const idle = await pidOf(other);
  other.release();
  survivor.release(broken);
  const next = await main.connect();
  expect(await pidOf(next)).not.toBe(idle);
  next.release();
  await fresh.close();
});
