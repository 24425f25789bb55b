import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, type Pool } from 'pg';
import { makeManyKeys } from '../../../test/support/admission/many-keys.js';
import { insertKey, insertSecret, readCounted } from '../../../test/support/admission/rows.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openTestPool } from '../../../test/support/test-pool.js';
import { admissionSql } from './general-admission.sql.js';
import { AdmissionStatement } from './admission-statement.js';
import { plainAdmissionSql } from './plain-admission.sql.js';

const POLICY = { banAfterRefusals: 1_000_000, banSeconds: 60, banMaxSeconds: 3600 };
const PLENTY = { minute: 1_000_000, day: 100_000_000 };

/** Each in its own page of the table after some eighty. */
const VERSIONS = 8000;

let database: TestDatabase;
let pool: Pool;
let client: Client;
let statement: AdmissionStatement;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 4 });
  // In a table of a few rows the planner uses no index, until a vacuum finds that it has grown.
  await makeManyKeys(pool, 2000);
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare plain (bytea[], int[], timestamptz) as ${plainAdmissionSql}`);
  await client.query(`prepare general (bytea[], int[], timestamptz, int, int, int) as ${admissionSql}`);
  statement = new AdmissionStatement({ queryable: client, named: true }, POLICY);
});
afterAll(async () => {
  await client.end();
  await pool.end();
  await database.drop();
});

async function makeKey(limits = PLENTY): Promise<{ readonly id: bigint; readonly hash: string }> {
  const id = await insertKey(pool, 'enterprise', limits);
  return { id, hash: await insertSecret(pool, id) };
}

/** How many blocks a statement looks at for a request of a key. */
async function blocksOf(which: 'plain' | 'general', hash: string): Promise<number> {
  const policy = which === 'plain' ? '' : ', 1000000, 60, 3600';
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, buffers, format json) execute ${which} (array['${hash}']::bytea[], array[1], null${policy})`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('no plan');
  // The query does not read what its writing parts return, so they are not in its sum.
  const writing = plan.Plans.filter((part) => part['Node Type'] === 'ModifyTable');
  return [plan, ...writing].reduce(
    (sum, part) => sum + part['Shared Hit Blocks'] + part['Shared Read Blocks'],
    0,
  );
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans: readonly PlanNode[];
}

/** The least of some: a row may begin a new page at any time. */
async function leastBlocksOf(which: 'plain' | 'general', hash: string): Promise<number> {
  const counts: number[] = [];
  for (let times = 0; times < 9; times += 1) counts.push(await blocksOf(which, hash));
  return Math.min(...counts);
}

describe('admission while a snapshot is open', () => {
  it('reads as little for a key with thousands of row versions as for others', async () => {
    const [hot, limited, other] = [await makeKey(), await makeKey({ minute: 1, day: 1 }), await makeKey()];
    const reader = await pool.connect();
    const blocks = async () => [
      await leastBlocksOf('plain', hot.hash),
      await leastBlocksOf('general', hot.hash),
      await leastBlocksOf('plain', other.hash),
      await leastBlocksOf('general', limited.hash),
    ];
    for (const { hash } of [hot, limited, other]) await statement.decide(Array<string>(3).fill(hash));
    await pool.query('vacuum analyze');
    const before = await blocks();
    const looks: (readonly number[])[] = [];
    await reader.query('begin isolation level repeatable read; select count(*) from plans');
    for (let version = 0; version < VERSIONS; version += 1) {
      await statement.decide([hot.hash]);
      if (version % 4 === 0) await statement.decide([limited.hash]);
      if (version > VERSIONS / 2 && version % 500 === 0) looks.push(await blocks());
    }
    await reader.query('rollback');
    reader.release();
    // A generation ends at random: the least of several looks, which without generations are all of thousands of versions.
    for (const [nth, count] of before.entries()) {
      expect(Math.min(...looks.map((one) => one[nth] ?? 0))).toBeLessThanOrEqual(2 * count);
    }
    const { rows } = await pool.query<{ generation: string }>(
      'select generation from api_key_counters where api_key_id = $1',
      [hot.id],
    );
    // Once in 125 updates.
    expect(Number(rows[0]?.generation)).toBeGreaterThan(20);
    expect(Number(rows[0]?.generation)).toBeLessThan(200);
  });
});

describe('admission of a key whose generation others change', () => {
  it('counts each admitted request once, by both statements', async () => {
    const key = await makeKey({ minute: 3000, day: 2500 });
    const noon = new Date('2026-11-20T12:00:00Z');
    let isOver = false;
    const bumping = (async () => {
      while (!isOver)
        await pool.query('update api_key_counters set generation = generation + 1 where api_key_id = $1', [
          key.id,
        ]);
    })();
    const replicas = await Promise.all(
      [1, 2].map(async () => {
        const replica = new Client({ connectionString: database.url });
        await replica.connect();
        return replica;
      }),
    );
    const admitted = await Promise.all(
      replicas.map(async (replica) => {
        const own = new AdmissionStatement({ queryable: replica, named: true }, POLICY);
        let count = 0;
        for (let batch = 0; batch < 500; batch += 1) {
          const decisions = await own.decide(Array<string>(3).fill(key.hash), noon);
          expect(decisions.every((one) => !(one instanceof Error))).toBe(true);
          count += decisions.filter((one) => 'state' in one && one.state === 'admitted').length;
        }
        await replica.end();
        return count;
      }),
    );
    isOver = true;
    await bumping;
    expect(admitted.reduce((sum, one) => sum + one, 0)).toBe(2500);
    const [counted] = await readCounted(pool, [key.id]);
    expect(counted?.counters).toMatchObject({ windows: { minute: { admitted: 2500, refused: 500 } } });
  });
});
