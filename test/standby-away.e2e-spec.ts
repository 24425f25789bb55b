import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { migrate } from '../src/database/migrations.js';
import { LONG_DEADLINES } from './support/deadlines.js';
import { eventually } from './support/eventually.js';
import { startReplica } from './support/replicas.js';
import { startService, type TestService } from './support/service.js';
import { addPets } from './support/store.js';
import {
  asSuperuser,
  createPetstoreDatabase,
  createPostgresServer,
  type PostgresServer,
} from './faults/support/postgres-server.js';
import { awaitAbsentStandby, awaitNoStandby } from './faults/support/standby.js';

/** In which connections were given up before, and others opened in their places. */
const ROUNDS = 3;

/** A probe that a busy machine is too slow for would give a connection up. */
const { probeTimeoutMs } = LONG_DEADLINES;

let server: PostgresServer;
let service: TestService;
let key: string;

beforeAll(async () => {
  server = await createPostgresServer();
  await server.start();
  await createPetstoreDatabase(server);
  await migrate({ connectionString: server.url, log: { info: () => undefined } });
  service = await startService({
    databaseUrl: server.url,
    provokes503: true,
    deadlines: { probeTimeoutMs },
  });
  ({ key } = await service.issueKey());
});
afterAll(async () => {
  await service.close();
  await server.remove();
});

const sessions = async (condition = 'true'): Promise<number> => {
  const rows = await asSuperuser(
    server,
    `select count(*)::int as count from pg_stat_activity
     where datname = 'petstore' and application_name = 'petstore' and ${condition}`,
  );
  return Number(rows[0]?.['count']);
};

function post(path: string, body: object, claim?: string, by = service): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(claim !== undefined && { 'idempotency-key': claim }),
  };
  return by.fetch(path, { method: 'POST', key, body: JSON.stringify(body), headers });
}

const create = (name: string, claim?: string, by = service): Promise<Response> =>
  post('/v1/pets', { name, categoryId: 1 }, claim, by);

const order = (petId: bigint | undefined, claim?: string): Promise<Response> =>
  post('/v1/store/orders', { petId: Number(petId) }, claim);

/** A busy machine may miss its deadline, but it never waits for the writes, which do not end. */
const expectRead = (): Promise<void> =>
  eventually(async () => expect((await service.fetch('/v1/pets?limit=1', { key })).status).toBe(200));

/** Of the pets that a claim was used for, which is their name. */
const NAMES = `select name from pets where name ~ '^[0-9a-f]{8}-'`;

describe('a commit that waits for a synchronous standby for a while', () => {
  it('rejects no request: others queue', async () => {
    // More than a statement takes on a busy machine, apart from its wait for the standby.
    const statementTimeoutMs = 5000;
    const patient = await startService({ databaseUrl: server.url, deadlines: { statementTimeoutMs } });
    await awaitAbsentStandby(server);
    const first = create('first', randomUUID(), patient);
    await eventually(async () => expect(await sessions(`wait_event = 'SyncRep'`)).toBe(1));
    const writes = Array.from({ length: 63 }, (_, number) =>
      create(`write ${number}`, randomUUID(), patient),
    );
    // Each of its time-outs has passed.
    const isLong = `wait_event = 'SyncRep' and clock_timestamp() - xact_start > interval '${statementTimeoutMs} ms'`;
    await eventually(async () => expect(await sessions(isLong)).toBeGreaterThan(0));
    await awaitNoStandby(server);
    const responses = await Promise.all([first, ...writes]);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    await patient.close();
  });
});

describe('a stop while a synchronous standby does not respond', () => {
  it('completes, and loses no count of a served request', async () => {
    // The management port is up longer than requests, so that a slow machine has the time as well.
    const environment = { SHUTDOWN_TIMEOUT_MS: '60000', DATABASE_POOL_MAX: '5' };
    const replica = await startReplica({ databaseUrl: server.url, environment });
    const { id, key: own } = await service.issueKey();
    const authorization = { authorization: `Bearer ${own}` };
    const served = await Promise.all(
      Array.from({ length: 9 }, () => fetch(`${replica.origin}/v1/pets?limit=1`, { headers: authorization })),
    );
    expect(new Set(served.map(({ status }) => status))).toEqual(new Set([200]));
    await awaitAbsentStandby(server);
    const headers = { ...authorization, 'content-type': 'application/json' };
    const writes = Array.from({ length: 9 }, (_, nth) =>
      fetch(`${replica.origin}/v1/pets`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        body: JSON.stringify({ name: `stalled ${nth}`, categoryId: 1 }),
      }),
    );
    expect(new Set((await Promise.all(writes)).map(({ status }) => status))).toEqual(new Set([503]));
    await replica.stop();
    await awaitNoStandby(server);
    const [row] = await asSuperuser(
      server,
      `select sum(requests) filter (where operation = 'listPets' and outcome = 'success')::int as listed,
              sum(requests) filter (where operation = 'createPet' and outcome = 'server_error')::int as failed
       from api_key_usage_hours where api_key_id = ${id}`,
      'petstore',
    );
    expect(row).toEqual({ listed: 9, failed: 9 });
  });
});

describe('while a synchronous standby does not respond', () => {
  it('writes have an unknown outcome, reads go on, and no session is left behind', async () => {
    const { poolMax } = service.config.database;
    const writesMax = service.prisma.pools.main.options.max;
    const pets = await addPets(service, 2 * ROUNDS);
    await awaitAbsentStandby(server);
    const claims = Array.from({ length: 3 * writesMax }, () => randomUUID());
    const writes = claims.map((claim) => create(claim, claim));
    await eventually(async () => expect(await sessions(`wait_event = 'SyncRep'`)).toBeGreaterThan(0));
    await expectRead();
    const responses = await Promise.all(writes);
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([503]));

    // Each round lasts longer than a connection is kept whose statement the server does not work on.
    for (let round = 0; round < ROUNDS; round += 1) {
      const more = [
        create('again'),
        create('again', randomUUID()),
        order(pets[2 * round]),
        order(pets[2 * round + 1], randomUUID()),
      ];
      await expectRead();
      expect((await Promise.all(more)).map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      expect(await sessions(`wait_event = 'SyncRep'`)).toBeLessThanOrEqual(writesMax);
      // The server may still be about to end those that were closed.
      await eventually(async () => expect(await sessions()).toBeLessThanOrEqual(poolMax));
    }

    await awaitNoStandby(server);
    for (const claim of claims) {
      await eventually(async () => expect((await create(claim, claim)).status).toBe(201));
    }
    // Each pet exists once, whether its first request or a repeat committed.
    const rows = await asSuperuser(server, NAMES, 'petstore');
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(claims));
    expect(rows).toHaveLength(claims.length);
  });
});
