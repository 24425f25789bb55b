import { statement } from '../database/statement.js';
import { listOf } from '../resources/lists.js';
import { callSql, creationSql, findSql, type Resource } from '../resources/records.sql.js';

const CATEGORIES: Resource = { table: 'categories', json: 'category_json', newRow: 'new_category' };

/** Name comparison ignores ASCII case. */
const folded = (name: string): string => `lower(${name} collate "C")`;

export const LIST_CATEGORIES = listOf('list_categories', CATEGORIES, {
  name: { type: 'text', comparable: folded },
});

export const FIND_CATEGORIES = statement('find_categories', findSql(CATEGORIES));

/** Of equal names in one statement, the first wins. The outcome is `locked` if an open transaction is assigning the name. */
export const CREATE_CATEGORIES = statement(
  'create_categories',
  creationSql(CATEGORIES, {
    rejection: `
        case
          when row_number() over (partition by ${folded(`(members ->> 'name')`)} order by number) > 1 then 'category_exists'
          else category_conflict(members ->> 'name')
        end`,
  }),
);

export const PUT_CATEGORIES = statement(
  'put_categories',
  callSql('put_category_if', 'outcome, json', 'text'),
);

export const DELETE_CATEGORIES = statement('delete_categories', callSql('delete_category_if', 'outcome'));
