import { readFileSync } from 'node:fs';
import type { Pool, QueryConfig } from 'pg';
import type { StatementSource } from '../../../src/database/statement.js';

/** The statements of 1.1.0, as its replicas send them beside those of this release. */
const { plain, general } = JSON.parse(readFileSync('test/fixtures/admission-1.1.0.json', 'utf8')) as Readonly<
  Record<'plain' | 'general', string>
>;
const TEXTS: Readonly<Record<string, string>> = { plain_admission: plain, admission: general };

/** Members before the windows; the one that was behind them in 1.1.0; those of the window that it does not have. */
const [BEFORE, BEHIND, NO_MONTH] = [8, 14, [0, 0, 0]];

const asPresentRow = ({ json }: { readonly json: string }): { readonly json: string } => {
  const row = JSON.parse(json) as unknown[];
  if (row.length <= BEHIND) return { json };
  const windows = [...row.slice(BEFORE, BEHIND), ...NO_MONTH];
  return {
    json: JSON.stringify([...row.slice(0, BEFORE), row[BEHIND], ...windows, ...row.slice(BEHIND + 1)]),
  };
};

/** Sends them in place of the present ones. */
export const asFormerRelease = (pool: Pool): StatementSource['queryable'] => ({
  async query<Row extends object>(statement: QueryConfig) {
    const { name = '' } = statement;
    const text = TEXTS[name];
    if (text === undefined) return await pool.query<Row>(statement);
    const result = await pool.query<{ json: string }>({ ...statement, name: `former_${name}`, text });
    return Object.assign(result, { rows: result.rows.map((row) => asPresentRow(row)) as Row[] });
  },
});
