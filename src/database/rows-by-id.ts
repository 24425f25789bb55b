import type { Database, Statement } from './database.js';
import type { Group } from './group.js';
import { groupReads } from './groups.js';
import type { JsonTable } from './json-table.js';

/** Rows of one table by identifier, those asked for at the same time in one statement: a row's JSON, if there is one. */
export function groupRowsById(database: Database, table: JsonTable): Group<bigint, string | undefined> {
  const statement = selectRowsById(table);
  return groupReads<bigint, string | undefined>({
    name: statement.name,
    shareKey: String,
    send: async (ids) => {
      const rows = await database.rows<readonly [json: string | null]>(statement, [ids]);
      return rows.map(([row]) => row ?? undefined);
    },
  });
}

/** One row for each identifier, in their order. */
export const selectRowsById = ({ table, json }: JsonTable): Statement => ({
  name: `find_${table}`,
  text: `
    select ${json}
    from unnest((select $1::bigint[])) with ordinality as asked (id, number)
    left join ${table} as item on item.id = asked.id
    order by asked.number`,
});
