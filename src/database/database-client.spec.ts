import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import {
  accept,
  authentication,
  errorResponse,
  hangUp,
  READY,
  reset,
  silence,
  withFakePostgres,
  write,
  type Reaction,
} from '../../test/support/fake-postgres.js';
import {
  classifyDatabaseError,
  isTemporary,
  isUnavailable,
  StatementError,
  type DatabaseFailure,
} from '../errors/database-errors.js';
import { PrismaClient } from '../generated/prisma/client.js';
import { DatabaseClient, DatabasePool } from './database-client.js';

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );

/** Nothing of the environment of the tests reaches these connections. */
const own = { host: '127.0.0.1', user: 'tester', password: () => '', ssl: false };

/** A port on which no program listens. */
const CLOSED_PORT = 1;

const poolAt = (config: pg.PoolConfig): pg.Pool => {
  const pool: pg.Pool = new DatabasePool({ ...own, ...config });
  pool.on('error', () => undefined);
  return pool;
};

/** The error of a pool whose server reacts so. */
function poolError(
  reactions: readonly Reaction[],
  config: pg.PoolConfig = {},
  use = (pool: pg.Pool): Promise<unknown> => pool.query('select 1'),
): Promise<unknown> {
  return withFakePostgres(reactions, async (port) => {
    const pool = poolAt({ port, ...config });
    const error = await reasonOf(use(pool));
    if (!pool.ending) await pool.end();
    return error;
  });
}

/** The error of a client without a pool. */
const clientError = (
  reactions: readonly Reaction[],
  use: (client: pg.Client) => Promise<unknown>,
  config: pg.ClientConfig = {},
): Promise<unknown> =>
  withFakePostgres(reactions, (port) => reasonOf(use(new DatabaseClient({ ...own, port, ...config }))));

describe('the errors of the real driver', () => {
  it.each<[string, DatabaseFailure, () => Promise<unknown>]>([
    [
      'a port on which no program listens',
      'not-sent',
      () => reasonOf(poolAt({ port: CLOSED_PORT }).query('select 1')),
    ],
    [
      'a host of several addresses on which no program listens',
      'not-sent',
      () => reasonOf(poolAt({ host: 'localhost', port: CLOSED_PORT }).query('select 1')),
    ],
    [
      'a Unix socket that does not exist',
      'not-sent',
      () => reasonOf(poolAt({ host: '/does/not/exist' }).query('select 1')),
    ],
    [
      'a server that says nothing at start-up',
      'not-sent',
      () => poolError([silence], { connectionTimeoutMillis: 20 }),
    ],
    [
      'the same, for a client without a pool',
      'not-sent',
      () => clientError([silence], (client) => client.connect(), { connectionTimeoutMillis: 20 }),
    ],
    [
      'a pool with no connection to spare',
      'not-sent',
      () =>
        poolError([accept], { max: 1, connectionTimeoutMillis: 20 }, async (pool) => {
          const client = await pool.connect();
          return pool.query('select 1').finally(() => client.release(true));
        }),
    ],
    [
      'a pool that was closed',
      'not-sent',
      () =>
        poolError([accept], {}, async (pool) => {
          await pool.end();
          return pool.query('select 1');
        }),
    ],
    [
      'a connection that is known to be broken',
      'not-sent',
      () =>
        clientError([accept, hangUp], async (client) => {
          client.on('error', () => undefined);
          await client.connect();
          await client.query('select 1').catch(() => undefined);
          return await client.query('select 1');
        }),
    ],
    [
      'a connection that was closed',
      'not-sent',
      () =>
        clientError([accept], async (client) => {
          await client.connect();
          await client.end();
          return client.query('select 1');
        }),
    ],
    ['a server without TLS', 'not-sent', () => poolError([write(Buffer.from('N'))], { ssl: true })],
    ['a server that fails at TLS', 'not-sent', () => poolError([write(Buffer.from('E'))], { ssl: true })],
    [
      'a password that is missing',
      'not-sent',
      () =>
        poolError([
          write(authentication(10, 'SCRAM-SHA-256\0\0')),
          write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096')),
        ]),
    ],
    ['a wrong password', 'not-sent', () => poolError([errorResponse({ C: '28P01' })])],
    ['too many connections', 'not-sent', () => poolError([errorResponse({ C: '53300' })])],
    ['a server that starts or stops', 'not-sent', () => poolError([errorResponse({ C: '57P03' })])],
    [
      'a prepared statement that a migration made stale',
      'not-sent',
      () => poolError([accept, errorResponse({ C: '0A000', R: 'RevalidateCachedQuery' })]),
    ],
    ['a server that hangs up at start-up', 'not-sent', () => poolError([hangUp])],
    ['a server that hangs up in flight', 'broken', () => poolError([accept, hangUp])],
    ['a server that resets the connection', 'broken', () => poolError([accept, reset])],
    [
      'a server that says nothing in flight',
      'broken',
      () => poolError([accept, silence], { query_timeout: 20 }),
    ],
    [
      'a connection that is closed in flight',
      'broken',
      () =>
        clientError([accept, silence], async (client) => {
          await client.connect();
          await Promise.all([client.query('select 1'), client.end()]);
        }),
    ],
    [
      'the end of the session by an administrator',
      'broken',
      () => poolError([accept, errorResponse({ C: '57P01' })]),
    ],
    ['a server that is read only', 'rejected', () => poolError([accept, errorResponse({ C: '25006' })])],
    [
      'a statement that is rejected',
      'statement-error',
      () => poolError([accept, errorResponse({ C: '23505' })]),
    ],
    [
      'a value that the driver cannot write',
      'unexpected',
      () =>
        poolError([accept], {}, (pool) => {
          const endless: Record<string, unknown> = {};
          endless['itself'] = endless;
          return pool.query('select $1::json', [endless]);
        }),
    ],
  ])('%s: %s', async (_, failure, provoke) => {
    const error = await provoke();
    expect(classifyDatabaseError(error)).toBe(failure);
    expect(isUnavailable(error)).toBe(failure !== 'unexpected' && failure !== 'statement-error');
  });
});

describe('waiting at the start', () => {
  it.each<[string, boolean, () => Promise<unknown>]>([
    [
      'a port on which no program listens',
      true,
      () => reasonOf(poolAt({ port: CLOSED_PORT }).query('select 1')),
    ],
    ['a name that is not known', true, () => reasonOf(poolAt({ host: 'nowhere.invalid' }).query('select 1'))],
    [
      'a server that says nothing at start-up',
      true,
      () => poolError([silence], { connectionTimeoutMillis: 20 }),
    ],
    ['a server that hangs up at start-up', true, () => poolError([hangUp])],
    ['a server that starts or stops', true, () => poolError([errorResponse({ C: '57P03' })])],
    [
      'the end of the session by an administrator',
      true,
      () => poolError([accept, errorResponse({ C: '57P01' })]),
    ],
    ['too many connections', true, () => poolError([errorResponse({ C: '53300' })])],
    ['a pooler without a server', true, () => pooler('server login has been failing, try again later')],
    ['a wrong password', false, () => poolError([errorResponse({ C: '28P01' })])],
    ['no such database', false, () => poolError([errorResponse({ C: '3D000' })])],
    ['a right that is missing', false, () => poolError([errorResponse({ C: '42501' })])],
    ['a password that is wrong for a pooler', false, () => pooler('password authentication failed')],
    ['a pooler without the database', false, () => pooler('no such database: shop')],
    ['a server without TLS', false, () => poolError([write(Buffer.from('N'))], { ssl: true })],
    ['a server that fails at TLS', false, () => poolError([write(Buffer.from('E'))], { ssl: true })],
    ['an error of the program', false, () => Promise.resolve(new TypeError('x is not a function'))],
  ])('%s: helps is %s', async (_, helps, provoke) => {
    expect(isTemporary(await provoke())).toBe(helps);
  });
});

/** PgBouncer rejects a connection with one code, whatever the reason. */
const pooler = (M: string): Promise<unknown> => poolError([errorResponse({ C: '08P01', M })]);

/** The error of Prisma's client before a server that reacts so. */
const prismaError = (reactions: readonly Reaction[], config: pg.PoolConfig = {}): Promise<unknown> =>
  poolError(reactions, config, async (pool) => {
    const prisma = new PrismaClient({ errorFormat: 'minimal', adapter: new PrismaPg(pool) });
    return await prisma.$queryRaw`select 1`;
  });

describe('a pool that Prisma uses', () => {
  it.each<[string, DatabaseFailure, () => Promise<unknown>]>([
    ['a port on which no program listens', 'not-sent', () => prismaError([], { port: CLOSED_PORT })],
    ['a server without TLS', 'not-sent', () => prismaError([write(Buffer.from('N'))], { ssl: true })],
    ['a server that fails at TLS', 'not-sent', () => prismaError([write(Buffer.from('E'))], { ssl: true })],
    ['too many connections', 'not-sent', () => prismaError([errorResponse({ C: '53300' })])],
    ['a connection that was reset', 'broken', () => prismaError([accept, reset])],
    ['the end of the session', 'broken', () => prismaError([accept, errorResponse({ C: '57P01' })])],
    ['a server that is read only', 'rejected', () => prismaError([accept, errorResponse({ C: '25006' })])],
    ['a deadlock', 'statement-error', () => prismaError([accept, errorResponse({ C: '40P01' })])],
    [
      'a prepared statement that a migration made stale',
      'not-sent',
      () => prismaError([accept, errorResponse({ C: '0A000', R: 'RevalidateCachedQuery' })]),
    ],
  ])('has errors that say as much: %s is %s', async (_, failure, provoke) => {
    expect(classifyDatabaseError(await provoke())).toBe(failure);
  });
});

describe('the connection of a statement that failed', () => {
  it.each([
    ['40P01', 1],
    ['55P03', 1],
    ['23505', 1],
    ['25006', 2],
    ['57014', 2],
    ['57P01', 2],
    ['26000', 2],
    ['XX000', 2],
  ])('with %s: the next one is sent on connection %d', async (C, connections) => {
    const seen = new Set<unknown>();
    const counted =
      (reaction: Reaction): Reaction =>
      (socket) => {
        seen.add(socket);
        reaction(socket);
      };
    await poolError([counted(accept), counted(errorResponse({ C }))], { max: 1 }, async (pool) => {
      await reasonOf(pool.query('select 1'));
      return await pool.query('select 2');
    });
    expect(seen.size).toBe(connections);
  });

  it('is reused only once the server is ready, so no statement waits there past its deadline', async () => {
    let waiting: Socket | undefined;
    let heard = 0;
    const failing: Reaction = (socket) => {
      heard += 1;
      waiting ??= socket;
      errorResponse({ C: '40P01' }, heard === 1 ? [] : [READY])(socket);
    };
    await poolError([accept, failing], { max: 1 }, async (pool) => {
      await reasonOf(pool.query('select 1'));
      expect([pool.idleCount, pool.totalCount]).toEqual([0, 1]);
      const next = reasonOf(pool.query('select 2'));
      await new Promise(setImmediate);
      expect([heard, pool.waitingCount]).toEqual([1, 1]);
      waiting?.write(READY);
      await next;
      expect([heard, pool.totalCount]).toEqual([2, 1]);
      const client = await pool.connect();
      expect(['drain', 'end'].map((event) => client.listenerCount(event))).toEqual([1, 0]);
      client.release();
      throw new Error('done');
    });
  });

  it.each([
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ['ended', (socket: Socket) => socket.end()],
  ])('is dropped when it is %s before the server is ready', async (_, breakOff) => {
    let waiting: Socket | undefined;
    const failing: Reaction = (socket) => {
      waiting ??= socket;
      errorResponse({ C: '40P01' }, waiting === socket ? [] : [READY])(socket);
    };
    await poolError([accept, failing], { max: 1 }, async (pool) => {
      await reasonOf(pool.query('select 1'));
      const next = reasonOf(pool.query('select 2'));
      const removed = once(pool, 'remove');
      if (waiting !== undefined) breakOff(waiting);
      await removed;
      expect(await next).toBeInstanceOf(StatementError);
      throw new Error('done');
    });
  });
});
