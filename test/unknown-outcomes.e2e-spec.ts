import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { arrayElement, plainArray } from '../src/database/statement.js';
import { useService } from './support/use-service.js';

const lines: string[] = [];
const service = useService({ onLogLine: (line) => lines.push(line) });

describe('a statement that a later migration has changed', () => {
  it('rejects the one item whose outcome this release does not know, and names it in the log', async () => {
    await service.pool.query(
      `insert into pets (name, category_id) select 'Pet ' || n, 1 from generate_series(1, 9) as n`,
    );
    await service.pool.query(`alter function delete_pets_if rename to delete_pets_before`);
    await service.pool.query(
      `create function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
       language sql as $$
         select case id when 4 then 'pet_is_reserved'
           else (select delete_pets_before(array[id], '{null}', '{null}')) end
         from unnest(ids) as id
       $$`,
    );
    const ids = Array.from({ length: 9 }, (_, index) => index + 1);
    const statuses = await Promise.all(
      ids.map(async (id) => (await service.send('DELETE', `/v1/pets/${id}`, '')).status),
    );
    expect(statuses).toEqual(ids.map((id) => (id === 4 ? 500 : 204)));
    expect(lines.join('')).toContain(
      'delete_pets returned \\"pet_is_reserved\\", which this release does not list',
    );
    const { rows } = await service.pool.query('select id::int from pets');
    expect(rows).toEqual([{ id: 4 }]);
  });
});

describe('an array of a statement', () => {
  it('keeps every text unchanged, never as null', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).filter((one) => !one.includes('\0')),
      fc.constantFrom('null', 'NULL', '', '{', '}', 'A,B', '"', '\\', '\\"', ' a '),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 9 }), async (texts) => {
        const { rows } = await service.pool.query<{ read: string[] }>('select $1::text[] as read', [
          plainArray(texts.map(arrayElement)),
        ]);
        expect(rows[0]?.read).toEqual(texts);
      }),
    );
  });
});
