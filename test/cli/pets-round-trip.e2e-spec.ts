import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { legalName, int64Text, statusOrAbsent } from '../support/arbitraries.js';
import { type Petstore } from './support/petstore.js';
import { openPetstoreStage, type PetstoreStage } from './support/petstore-stage.js';

let stage: PetstoreStage;
let pool: Pool;
let petstore: Petstore;

beforeAll(async () => {
  stage = await openPetstoreStage();
  ({ pool, petstore } = stage);
});
afterAll(() => stage.close());

const animals = fc.uniqueArray(
  fc.record({
    id: int64Text,
    // What COPY, CSV and JSON each have a meaning of their own for.
    name: fc.oneof(
      legalName,
      fc.constantFrom(
        '\\.',
        '\\N',
        '"',
        ',',
        '\\',
        'a\r\nb',
        'a\u2028b',
        'null',
        "'",
        '\u0001\u0002',
        '\ufeffx',
      ),
    ),
    categoryId: int64Text,
    status: statusOrAbsent,
  }),
  { minLength: 1, maxLength: 12, selector: ({ id }) => id },
);

const stored = async (): Promise<readonly unknown[]> =>
  (await pool.query('select id, name, category_id, status from pets order by id')).rows;

const out = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await petstore(['pets', 'export', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe('what petstore pets export writes', () => {
  it('petstore pets import reads back, to the digit and to the character, in both formats', async () => {
    await fc.assert(
      fc.asyncProperty(animals, fc.constantFrom('csv', 'ndjson'), async (pets, format) => {
        await pool.query('delete from pets');
        await pool.query(
          'insert into pets (id, name, category_id, status) select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::pet_status[])',
          [
            pets.map(({ id }) => id),
            pets.map(({ name }) => name),
            pets.map(({ categoryId }) => categoryId),
            pets.map(({ status }) => status),
          ],
        );
        const before = await stored();
        const text = await out('--format', format);
        await pool.query('delete from pets');
        const { code, stderr } = await petstore(['pets', 'import', '-', '--format', format], { stdin: text });
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(await stored()).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  it('is what GET /v1/pets tells, an animal a line by ascending id', async () => {
    await pool.query('delete from pets');
    await pool.query(
      `insert into pets (id, name, category_id, status)
       values (2, 'Mieze "x"', 7, null), (1, 'Rex', 9223372036854775807, 'sold'), (3, 'é', -1, 'available')`,
    );
    const lines = [
      '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}\n',
      '{"id":2,"name":"Mieze \\"x\\"","categoryId":7}\n',
      '{"id":3,"name":"é","categoryId":-1,"status":"available"}\n',
    ];
    expect(await out()).toBe(lines.join(''));
    expect(await out('--json')).toBe(lines.join(''));
    expect(await out('--status', 'sold')).toBe(lines[0]);
    expect(await out('--format', 'csv', '--status', 'sold')).toBe(
      'id,name,categoryId,status\n1,Rex,9223372036854775807,sold\n',
    );
    expect(await out('--status', 'pending')).toBe('');
    expect(await petstore(['pets', 'export', '--status', 'gone'])).toMatchObject({ code: 2, stdout: '' });
  });
});
