import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { hashOfKey, makeManyKeys } from '../../../test/support/admission/many-keys.js';
import { insertKey, insertSecret, readCounted } from '../../../test/support/admission/rows.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openTestPool } from '../../../test/support/test-pool.js';
import type { KeyDecision } from './admission-statement.js';
import { WholeAdmissionStatement } from '../../../test/support/admission/whole-admission-statement.js';

const CONNECTIONS = 6;
const KEYS = 1000;
/** Of each connection. */
const GROUPS = 150;
const POLICY = { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 };
const NOON = new Date('2026-11-20T12:00:00Z');
const MIDNIGHT_MS = Date.parse('2026-11-21T00:00:00Z');
/** A decision that waits for an operator would wait until this ends it with an error. */
const STALLED_MS = 100_000;

let database: TestDatabase;
/** Connections in the place of replicas. */
let replicas: Pool;
let operators: Pool;
let statement: WholeAdmissionStatement;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = openTestPool(database.url, { max: CONNECTIONS, statement_timeout: STALLED_MS });
  operators = openTestPool(database.url, { max: 3 });
  statement = new WholeAdmissionStatement({ queryable: replicas, named: true }, POLICY);
  await makeManyKeys(operators, KEYS);
});

afterAll(async () => {
  await replicas.end();
  await operators.end();
  await database.drop();
});

async function makeKey(): Promise<{ readonly id: bigint; readonly hash: string }> {
  const id = await insertKey(operators, 'free');
  return { id, hash: await insertSecret(operators, id) };
}

const countOf = (decisions: readonly (KeyDecision | Error)[], state: KeyDecision['state']): number =>
  decisions.filter((decision) => 'state' in decision && decision.state === state).length;

async function deadlocks(): Promise<number> {
  const { rows } = await operators.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.deadlocks ?? Number.NaN;
}

describe('admission from several connections at once', () => {
  it('creates missing counters once, and counts every request', async () => {
    const key = await makeKey();
    await operators.query('delete from api_key_counters where api_key_id = $1', [key.id]);
    const decisions = await Promise.all(Array.from({ length: 50 }, () => statement.decide([key.hash], NOON)));
    expect(countOf(decisions.flat(), 'admitted')).toBe(50);
    const [counted] = await readCounted(operators, [key.id]);
    expect(counted?.counters.windows.minute.admitted).toBe(50);
  });

  it('decides on the state after the lock wait, including new bans', async () => {
    const key = await makeKey();
    const first = await replicas.connect();
    try {
      await first.query('begin');
      await new WholeAdmissionStatement({ queryable: first, named: true }, POLICY).decide(
        Array<string>(90).fill(key.hash),
        NOON,
      );
      const waiting = statement.decide([key.hash], NOON);
      await untilSomebodyWaits();
      await first.query('commit');
      expect(await waiting).toMatchObject([{ state: 'banned', retryAtMs: NOON.getTime() + 60_000 }]);
    } finally {
      first.release();
    }
  });

  it('neither deadlocks nor stalls beside operators, over a thousand keys and a midnight, and counts all', async () => {
    const before = await deadlocks();
    const operator = await operators.connect();
    let admitted = 0;
    let done = false;
    try {
      await operator.query('begin');
      await operator.query(`select from api_keys where name = 'key 1' for update`);
      await operator.query(`select from plans where id = 'business' for update`);
      const deciding = Array.from({ length: CONNECTIONS }, async () => {
        for (let group = 0; group < GROUPS; group += 1) {
          const hashes = Array.from({ length: 25 }, () => hashOfKey(randomInt(1, KEYS + 1)));
          const decisions = await statement.decide(
            [hashOfKey(1), ...hashes],
            new Date(MIDNIGHT_MS + randomInt(-50, 50)),
          );
          admitted += countOf(decisions, 'admitted');
        }
      });
      const updating = updateInBulkUntil(() => done);
      // Everything is decided while the operator's transaction is still open.
      await Promise.all(deciding);
      done = true;
      expect(await updating).toBeGreaterThan(0);
    } finally {
      done = true;
      await operator.query('rollback');
      operator.release();
    }
    expect(admitted).toBe(CONNECTIONS * GROUPS * 26);
    const { rows } = await operators.query(
      `select sum(c.day_admitted + coalesce(u.admitted, 0))::int as counted
         from api_keys k
         join api_key_counters c on c.api_key_id = k.id
         left join api_key_usage u on u.api_key_id = k.id and u.day = '2026-11-20'
         where k.name like 'key %'`,
    );
    expect(rows).toEqual([{ counted: admitted }]);
    expect(await deadlocks()).toBe(before);
  });
});

describe('a reset of usage', () => {
  it('is applied once, even if another replica applies the next while this one waits for the row', async () => {
    const { id, hash } = await makeKey();
    await operators.query('select set_api_key_limits($1, 5, 1000), reset_api_key_usage($1)', [id]);
    const send = (requests: number) =>
      statement.decide(
        Array.from({ length: requests }, () => hash),
        NOON,
      );
    expect(countOf(await send(5), 'admitted')).toBe(5);

    const other = await operators.connect();
    await other.query('begin');
    await other.query('select reset_api_key_usage($1)', [id]);
    await other.query(
      `update api_key_counters c set usage_reset_at = k.usage_reset_at, minute_admitted = 3, day_admitted = 3
       from api_keys k where k.id = c.api_key_id and c.api_key_id = $1`,
      [id],
    );
    const sending = send(4);
    await untilSomebodyWaits();
    await other.query('commit');
    other.release();
    expect(countOf(await sending, 'admitted')).toBe(2);
    expect(countOf(await send(1), 'admitted')).toBe(0);
  });
});

/** An operator who rewrites all keys but the first over and over, in the order opposite to that of admission. */
async function updateInBulkUntil(done: () => boolean): Promise<number> {
  let updates = 0;
  while (!done()) {
    await operators.query(
      `with turned as (select id from api_keys where name <> 'key 1' order by id desc for update)
       update api_keys set suspended_until = '2020-01-01' from turned where api_keys.id = turned.id`,
    );
    updates += 1;
  }
  return updates;
}

async function untilSomebodyWaits(): Promise<void> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const { rows } = await operators.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
  }
  throw new Error('no session waits for a lock');
}
