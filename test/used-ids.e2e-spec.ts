import { describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Metrics } from '../src/monitoring/telemetry/metrics.js';
import { findingsOf, petstoreOn } from './cli/support/petstore.js';
import { eventually } from './support/eventually.js';
import { useReplicas, useService } from './support/use-service.js';

const lines: string[] = [];
const service = useService({ onLogLine: (line) => lines.push(line) });
const replicas = useReplicas(service, 1);

const PET = '{"name":"Rex","categoryId":1,"status":"available"}';

/** Inserts rows as an import does: with their ids, which do not move the sequence. Returns the first id after them. */
async function importPets(count: number): Promise<number> {
  const { rows } = await service.pool.query<{ last: string }>(
    `insert into pets (id, name, category_id, status)
     select coalesce(pg_sequence_last_value('pets_id_seq'), 0) + number, 'imported', 1, 'available'
     from generate_series(1, $1::int) as number
     returning coalesce(pg_sequence_last_value('pets_id_seq'), 0) + $1::int as last`,
    [count],
  );
  return Number(rows[0]?.last);
}

const idOf = async (response: Response): Promise<number> => {
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: number }).id;
};

const createCategory = (name: string): Promise<Response> =>
  service.post('/v1/categories', JSON.stringify({ name }));
const putCategory = (id: number, name: string): Promise<Response> =>
  service.send('PUT', `/v1/categories/${id}`, JSON.stringify({ name }));

async function lastId(table: string): Promise<number> {
  const { rows } = await service.pool.query<{ last: string }>(
    `select pg_sequence_last_value('${table}_id_seq') as last`,
  );
  return Number(rows[0]?.last);
}

const warned = async (): Promise<string> => {
  const { ids } = await findingsOf(petstoreOn(service.databaseUrl));
  return `${ids?.level}: ${ids?.message}`;
};

describe('rows that were inserted with explicit ids', () => {
  it.each([1, 64, 65, 1000, 200_000])('leave POST of a pet working: %d of them', async (count) => {
    const last = await importPets(count);
    expect(await warned()).toMatch(/^warn: .* pets .*select skip_used_ids\('pets'\);$/);
    expect(await idOf(await service.post('/v1/pets', PET))).toBeGreaterThan(last);
    expect(await warned()).toMatch(/^ok: /);
  });

  it('leave a batch on each of two replicas working, and no request is lost or doubled', async () => {
    const last = await importPets(500);
    const all = [service, ...replicas].flatMap(({ origin }) =>
      Array.from({ length: 40 }, () =>
        fetch(`${origin}/v1/pets`, {
          method: 'POST',
          body: PET,
          headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        }).then(idOf),
      ),
    );
    const ids = await Promise.all(all);
    expect(new Set(ids).size).toBe(80);
    expect(Math.min(...ids)).toBeGreaterThan(last);
  });

  it('leave orders working', async () => {
    const petId = await idOf(await service.post('/v1/pets', PET));
    const other = await idOf(await service.post('/v1/pets', PET));
    await service.pool.query(
      `insert into orders (id, pet_id) select coalesce(pg_sequence_last_value('orders_id_seq'), 0) + 1, $1`,
      [other],
    );
    await idOf(await service.post('/v1/store/orders', `{"petId":${petId}}`));
    await idOf(await service.post('/v1/pets', PET));
  });

  it('leave the issue of keys working, and its audit', async () => {
    await service.pool.query(
      `insert into api_keys (id, name, plan_id)
       select coalesce(pg_sequence_last_value('api_keys_id_seq'), 0) + number, 'imported', 'free' from generate_series(1, 200) as number`,
    );
    await service.pool.query(
      `insert into audit_log (id, changed_at, role, action, table_name) overriding system value
       select coalesce(pg_sequence_last_value('audit_log_id_seq'), 0) + number, now(), 'x', 'insert', 'plans'
       from generate_series(1, 200) as number`,
    );
    expect(await warned()).toMatch(/select skip_used_ids\('audit_log'\);$/);
    const { code, stderr } = await petstoreOn(service.databaseUrl)([
      'keys',
      'issue',
      '--name',
      'new',
      '--plan',
      'pro',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(await warned()).toMatch(/^ok: /);
  });

  it('do not end the ids when one of them is the largest', async () => {
    await service.pool.query(
      `insert into pets (id, name, category_id) values (9223372036854775807, 'last', 1)`,
    );
    const before = await importPets(10);
    expect(await idOf(await service.post('/v1/pets', PET))).toBeLessThan(before + 1000);
    expect(await warned()).toMatch(/^ok: /);
  });

  it('are passed at once, also a million of them, and with gaps', async () => {
    const client = await service.pool.connect();
    try {
      await client.query('begin; set local statement_timeout = 0; alter table pets disable trigger user');
      for (const gap of [1, 60]) {
        const { rows } = await client.query<{ last: string }>(
          `with imported as (
             insert into pets (id, name, category_id)
             select coalesce(pg_sequence_last_value('pets_id_seq'), 0) + $1::int * number, 'imported', 1
             from generate_series(1, 1000000 / $1::int) as number
             returning id)
           select max(id) as last from imported`,
          [gap],
        );
        await client.query(`set local statement_timeout = '600ms'`);
        const skipped = await client.query<{ last: string }>(`select skip_used_ids('pets') as last`);
        expect(skipped.rows).toEqual(rows);
        await client.query('set local statement_timeout = 0');
      }
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('numbers that callers choose', () => {
  it('move the ids no further than past the rows in their way', async () => {
    const { id: first } = (await (await createCategory('first')).json()) as { id: number };
    for (let step = 64n, n = 0; step < 2n ** 62n; step *= 2n, n += 1)
      await service.send('PUT', `/v1/categories/${BigInt(first) + step}`, `{"name":"far ${n}"}`);
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([
        createCategory(`new ${round}`),
        putCategory((await lastId('categories')) + 1, `next ${round}`),
      ]);
    }
    expect((await idOf(await createCategory('last'))) - first).toBeLessThan(128 + 3 * 20);
    await service.pool.query(`select skip_used_ids('categories')`);
    expect((await lastId('categories')) - first).toBeLessThan(256);
    expect(await warned()).toMatch(/^ok: .*categories 99\.99 %/);
  });

  it('count once for many pets', async () => {
    const { id: first } = (await (await createCategory('many pets')).json()) as { id: number };
    await service.pool.query(
      `insert into pets (name, category_id, status) select 'Rex', $1, 'available' from generate_series(1, 50000)`,
      [first + 90],
    );
    for (let nth = 1; nth <= 64; nth += 1)
      await service.pool.query(`insert into categories values ($1, $2)`, [first + nth, `close ${nth}`]);
    for (let step = 128; step < 2 ** 40; step *= 2)
      await service.pool.query(`insert into categories values ($1, $2)`, [first + step, `doubled ${step}`]);
    expect((await idOf(await createCategory('after'))) - first).toBeLessThan(260);
    await service.pool.query('truncate pets, orders');
  });

  it('are no outage when one is inserted while it is given away', async () => {
    const failures = async (): Promise<string[]> =>
      (await service.app.get(Metrics).registry.metrics()).match(/^petstore_statement_failures_total.*$/gm) ??
      [];
    const number = (await idOf(await createCategory('before'))) + 1;
    const before = await failures();
    lines.splice(0);
    const holder = new Client({ connectionString: service.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('insert into categories (id, name) values ($1, $2)', [number, 'taken']);
    const waiting = createCategory('drawn again');
    await eventually(async () => {
      const { rowCount } = await service.pool.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event = 'transactionid'`,
      );
      expect(rowCount).toBe(1);
    });
    await holder.query('commit');
    await holder.end();
    expect((await idOf(await waiting)) - number).toBeLessThan(10);
    expect(before.join()).toContain('batch="create_categories"');
    expect(await failures()).toEqual(before);
    expect(lines.join('')).not.toContain('the database is away');
  });

  it('do the same to pets, when a role of the service writes the rows', async () => {
    const last = await importPets(1);
    await service.pool.query(
      `insert into pets (id, name, category_id)
       select $1 + 64 * 2::numeric ^ n, 'far', 1 from generate_series(0, 56) as n`,
      [last],
    );
    expect((await idOf(await service.post('/v1/pets', PET))) - last).toBeLessThan(200);
  });
});

describe('the doctor', () => {
  it.each([
    ['9007199254740991', /^ok: .*pets 99\.9 %/],
    ['9007199254740992', /^warn: new ids of pets are above 9007199254740991, .*setval\('pets_id_seq', …\)/],
    ['9223372036854775800', /^fail: pets has 0 % of its ids left\./],
    [
      '8302000000000000000',
      /^fail: pets has 9\.98 % of its ids left\. The last one is 8302000000000000000: /,
    ],
  ])('says what is left of the ids after %s', async (last, finding) => {
    const before = Math.max(1, await lastId('pets'));
    await service.pool.query(`select setval('pets_id_seq', $1)`, [last]);
    expect(await warned()).toMatch(finding);
    await service.pool.query(`select setval('pets_id_seq', $1)`, [before]);
  });
});
