import { describe, expect, it } from '@jest/globals';
import { petstoreOn } from './cli/support/petstore.js';
import { useReplicas, useService } from './support/use-service.js';

const service = useService();
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

const warned = async (): Promise<string> => {
  const { stdout } = await petstoreOn(service.databaseUrl)(['doctor', '--json']);
  const findings = JSON.parse(stdout) as { check: string; level: string; message: string }[];
  const found = findings.find(({ check }) => check === 'ids');
  return `${found?.level}: ${found?.message}`;
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
});
