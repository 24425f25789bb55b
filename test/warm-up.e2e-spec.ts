import { afterEach, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { warmUpOf } from '../src/database/warm-up.js';
import { createTestDatabase } from './support/database.js';
import { bytesOf, REQUESTS, withHeaders } from './support/http/operation-requests.js';
import { startInState } from './support/http/service-states.js';
import { eventually } from './support/eventually.js';
import { issueKeys } from './support/issue-keys.js';
import { runProgram } from './support/process.js';
import { startService } from './support/service.js';
import { sendRaw } from './support/wire.js';
import { createTcpProxy } from './support/tcp-proxy.js';
import { openTestPool } from './support/test-pool.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** The named statements of each idle connection of a pool, by the server's process. */
async function preparedOn(pool: Pool): Promise<ReadonlyMap<number, readonly string[]>> {
  const query = `
    select pg_backend_pid() as pid, array(select name from pg_prepared_statements order by name) as names`;
  const results = await Promise.all(
    Array.from({ length: pool.idleCount }, () => pool.query<{ pid: number; names: string[] }>(query)),
  );
  return new Map(results.flatMap(({ rows }) => rows.map(({ pid, names }) => [pid, names])));
}

/** All rows of all tables, and the sequences. */
async function contentOf(databaseUrl: string): Promise<unknown> {
  const pool = openTestPool(databaseUrl, { max: 1 });
  const { rows } = await pool.query(`
    select relname, query_to_xml(format('select *, xmin from %I', relname), true, true, '')::text
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'S')
    order by relname`);
  await pool.end();
  return rows;
}

describe('a service that has started', () => {
  it('has connections open and the statements of all operations prepared', async () => {
    const running = await startInState('ordinary');
    const { service, keys } = running;
    closing.push(() => running.close());
    const pools = service.prisma.pools.all;
    const before = await Promise.all(pools.map(preparedOn));
    for (const prepared of before) expect(prepared.size).toBeGreaterThanOrEqual(1);
    const connected: unknown[] = [];
    for (const pool of pools) pool.on('connect', (client) => connected.push(client));

    for (const request of Object.values(REQUESTS)) {
      const { method, ...one } = request(keys);
      const headers: Record<string, string> = method === 'POST' ? { 'Idempotency-Key': one.target } : {};
      const sent = bytesOf(withHeaders({ method, ...one }, headers));
      // The second response to a POST is the stored one; a pet is deleted once.
      for (const _ of method === 'DELETE' ? ['once'] : ['first', 'second'])
        expect((await sendRaw(service.port, sent)).status).toBeLessThan(300);
    }
    expect(await Promise.all(pools.map(preparedOn))).toEqual(before);
    expect(connected).toEqual([]);
  });

  it('has run every statement without an error', async () => {
    const service = await startService({ isWarmedUp: true });
    closing.push(() => service.close());
    const warnings: string[] = [];
    await warmUpOf(service.prisma.pools, (message) => warnings.push(message)).onApplicationBootstrap();
    expect(warnings).toEqual([]);
  });

  it('has written nothing and counted nothing', async () => {
    const database = await createTestDatabase();
    closing.push(() => database.drop());
    const before = await contentOf(database.url);
    const service = await startService({ databaseUrl: database.url, isWarmedUp: true });
    closing.push(() => service.close());
    expect(await contentOf(database.url)).toEqual(before);
  });
});

describe('a start while the database is slow', () => {
  it('listens when the database keeps up, and rejects none of the first requests with 503', async () => {
    const database = await createTestDatabase();
    closing.push(() => database.drop());
    const pool = openTestPool(database.url);
    const [issued] = await issueKeys(pool, 1);
    await pool.end();
    const proxy = await createTcpProxy(database.url);
    closing.push(() => proxy.close());
    // To open a connection takes longer than requests wait for one.
    proxy.pace({ delayMs: 500 });
    const program = runProgram('main.js', [], { PORT: '0', HOST: '127.0.0.1', DATABASE_URL: proxy.url });
    closing.push(async () => {
      program.child.kill('SIGKILL');
      await program.ended;
    });
    const listens = program.printed(/Pet Store Service: (http:\S+)\/v1/);
    const reports = eventually(() => expect(program.output.stderr).toContain('the database is not ready: '));
    await Promise.race([listens, reports]);
    expect(program.output.stdout).toBe('');

    proxy.pace({});
    const [, origin = ''] = await listens;
    const headers = { authorization: `Bearer ${issued?.key}` };
    const responses = await Promise.all(
      ['/v1/pets', '/v1/store/orders', '/v1/store/inventory', '/v1/usage'].map(async (path) => {
        const response = await fetch(`${origin}${path}`, { headers });
        return { path, status: response.status, body: await response.text() };
      }),
    );
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  });
});
