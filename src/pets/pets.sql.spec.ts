import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/support/eventually.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { useDatabase } from '../../test/support/use-service.js';
import type { Statement } from '../database/statement.js';
import { CHANGE_PETS, FILTER_PETS, LIST_PETS, LIST_PETS_BY_ID } from './pets.sql.js';

const PETS = 200_000;
const LIMIT = 20;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const database = useDatabase(1);

/**
 * Traps for a planner: a rare status, one that only the last pets have, a category that most pets have, one whose pets have no
 * status, and ones that have few of them.
 */
beforeAll(async () => {
  await database.pool.query(
    `insert into pets (name, category_id, status)
     select
       'Pet',
       case when n % 10 < 8 then 1 when n % 10 = 8 then 2 else n % 1000 + 3 end,
       case when n % 10 = 8 or n % 3 = 0 then null when n % 40000 = 1 then 'pending' when n < 180000 then 'available' else 'sold' end::pet_status
     from generate_series(1, $1::int) as n`,
    [PETS],
  );
  await database.pool.query('vacuum analyze pets');
  // The plan that serves all values, as sessions use it after a few executions.
  await database.pool.query('set plan_cache_mode = force_generic_plan');
});

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** @param values the first parameters; the others are filters that are not given */
async function planOf({ name, text }: Statement, values: readonly string[]): Promise<readonly Plan[]> {
  const count = Math.max(...[...text.matchAll(/\$(\d+)/g)].map(([, nth]) => Number(nth)));
  const all = Array.from({ length: count }, (_, nth) => values[nth] ?? `'{null}'`);
  const { rowCount } = await database.pool.query('select from pg_prepared_statements where name = $1', [
    name,
  ]);
  if (rowCount === 0) await database.pool.query(`prepare ${name} as ${text}`);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (analyze, format json) execute ${name} (${all.join(', ')})`,
  );
  return nodesOf(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
}

const rowsOf = (nodes: readonly Plan[]): number =>
  nodes.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);

/** Every pet is read by an index and is on the page or the first of the next one; ranges of `FILTER_PETS` are merged. */
function expectOnlyThePage(nodes: readonly Plan[], ranges?: number): void {
  const rowsMax = (ranges ?? 1) * (LIMIT + 1);
  const scans = nodes.filter((node) => node['Node Type'].endsWith('Scan'));
  const ofPets = scans.filter((node) => !/^(?:Function|Subquery) Scan$/.test(node['Node Type']));
  for (const node of ofPets) expect(node['Node Type']).toMatch(/^Index (?:Only )?Scan$/);
  for (const node of nodes) expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
  expect(rowsOf(ofPets)).toBeLessThanOrEqual(rowsMax);
  const sorted = nodes.filter((node) => node['Node Type'].includes('Sort'));
  expect(rowsOf(sorted.flatMap(({ Plans = [] }) => Plans))).toBeLessThanOrEqual(rowsMax);
  if (ranges === undefined) expect(sorted).toEqual([]);
}

const STATUSES = ['available', 'pending', 'sold', 'available,pending', 'available,sold', 'pending,sold'];

describe.each([
  ['id', ['-9223372036854775808', '100000', '199990']],
  ['-id', ['9223372036854775807', '100000', '10']],
] as const)('a page of a million pets by %s reads no other pets', (sort, places) => {
  const pages = places.map((from) => [`'{${from}}'`, `'{${LIMIT}}'`]);

  it.each(['null', 'available', 'pending', 'sold'])('with the status %s', async (status) => {
    for (const page of pages)
      expectOnlyThePage(await planOf(LIST_PETS[sort].statement, [...page, `'{${status}}'`]));
  });

  it.each(STATUSES)('with the statuses %s, of all categories and of one', async (statuses) => {
    const ranges = statuses.split(',').length;
    for (const page of pages) {
      for (const category of ['null', '1', '2', '7', '12', '-5']) {
        // A single status of all categories is the list above.
        if (ranges === 1 && category === 'null') continue;
        const values = [...page, `array['{${statuses}}']`, `'{${category}}'`];
        expectOnlyThePage(await planOf(FILTER_PETS[sort].statement, values), ranges);
      }
    }
  });

  it.each(['1', '2', '7', '12', '-5'])('with the category %s', async (category) => {
    for (const page of pages) {
      const values = [...page, `array['{available,pending,sold,null}']`, `'{${category}}'`];
      expectOnlyThePage(await planOf(FILTER_PETS[sort].statement, values), 4);
    }
  });
});

describe('a page of pets by their identifiers', () => {
  it.each([
    ['without other filters', [`array['{1,2,3,100000,400000}']`, `'{20}'`]],
    [
      'with all other filters',
      [`array['{1,2,3,100000,400000}']`, `'{20}'`, `array['{available,sold}']`, `'{1}'`],
    ],
  ])('%s looks up these alone', async (_name, values) => {
    const nodes = await planOf(LIST_PETS_BY_ID.statement, values);
    const scans = nodes.filter((node) => node['Index Name'] !== undefined);
    expect(scans.map((node) => [node['Index Name'], node['Actual Loops']])).toEqual([['pets_pkey', 5]]);
    expect(nodes.filter((node) => /Seq Scan|Sort/.test(node['Node Type']))).toEqual([]);
  });
});

describe('pages that share a statement', () => {
  it('read no more pets than they return', async () => {
    const nodes = await planOf(LIST_PETS.id.statement, [
      `'{1,1,500}'`,
      `'{20,20,20}'`,
      `'{null,sold,pending}'`,
    ]);
    const scans = nodes.filter((node) => node['Index Name'] !== undefined);
    expect(rowsOf(scans)).toBeLessThanOrEqual(21 + 21 + 5 + 3);
  });
});

describe('changes of pets', () => {
  it('look up these pets alone, by the primary key', async () => {
    const nodes = await planOf(CHANGE_PETS, [
      `'{1,2,100000,400000}'`,
      `array['{"name":"Max"}', '{"category_id":7}', '{"status":"sold"}', '{"status":"sold"}']::jsonb[]`,
      `'{null,null,"\\"other\\"",null}'`,
      `'{null,null,null,null}'`,
    ]);
    const scans = nodes.filter((node) => node['Index Name'] !== undefined);
    expect(new Set(scans.map((node) => node['Index Name']))).toEqual(new Set(['pets_pkey']));
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    expect(rowsOf(scans)).toBeLessThanOrEqual(4 * 4);
  });

  it('see an order placed after the statement began but before it locked the pet', async () => {
    const GATE = 4711;
    const sessions = openTestPool(database.url, { max: 3 });
    const ids = [10n, 20n];
    await sessions.query(`update pets set status = 'available' where id = any($1)`, [ids]);
    const operator = await sessions.connect();
    await operator.query('select pg_advisory_lock($1)', [GATE]);
    // The statement has its snapshot and waits at the gate, before it locks anything.
    const text = CHANGE_PETS.text.replace(
      'from unnest(',
      `from (select pg_advisory_xact_lock(${GATE})) as gate, unnest(`,
    );
    const nulls = ids.map(() => null);
    const changing = sessions.query<{ outcome: string }>(text.replace('select *', 'select change.*'), [
      ids,
      ids.map(() => ({ status: 'sold' })),
      nulls,
      nulls,
    ]);
    await eventually(async () => {
      const { rows } = await operator.query('select from pg_locks where objid = $1 and not granted', [GATE]);
      expect(rows).toHaveLength(1);
    });
    await operator.query('insert into orders (pet_id) values ($1)', [ids[0]]);
    await operator.query('select pg_advisory_unlock($1)', [GATE]);
    const { rows } = await changing;
    expect(rows.map(({ outcome }) => outcome)).toEqual(['pet_has_open_order', 'changed']);
    operator.release();
    await sessions.end();
  });
});
