import {
  arrayElement,
  type ArrayElement,
  plainArray,
  type Statement,
  statement,
} from '../database/statement.js';
import type { Resource } from './records.sql.js';

/** Lists are ordered by identifier, ascending or descending. */
export type Sort = 'id' | '-id';

/** A page of a list: up to `limit` records, starting at an id. The other members are filters. */
export interface PageRequest {
  readonly fromId: bigint;
  readonly limit: number;
  readonly sort: Sort;
}

export interface Page {
  /** The records as a JSON array. */
  readonly json: string;
  /** Where the next page begins; null on the last one. */
  readonly nextId: bigint | null;
}

type Value = bigint | number | ArrayElement | null | undefined;

/** A statement that returns a `PageRow` for each page, in their order. */
export interface List<Query extends PageRequest> {
  readonly statement: Statement;
  /** The parameters of each page, one array each. Pages with equal parameters share a row. */
  readonly parameters: readonly ((page: Query) => Value)[];
}

export interface PageRow {
  readonly nextId: bigint | null;
  /** The JSON of the records, comma-separated; null if there are none. */
  readonly items: string | null;
}

/** The order of a list, and the operators for its start and its end. */
const ORDERS = {
  id: { direction: 'asc', from: '>=', to: '<=' },
  '-id': { direction: 'desc', from: '<=', to: '>=' },
} as const;

type Order = (typeof ORDERS)[Sort];

/** A list in each order. */
export type Lists<Query extends PageRequest> = Readonly<Record<Sort, List<Query>>>;

/** Declares a list for each order, the second one under a name with `_desc`. */
export const inBothOrders = <Query extends PageRequest>(
  name: string,
  listIn: (name: string, order: Order) => List<Query>,
): Lists<Query> => ({
  id: listIn(name, ORDERS.id),
  '-id': listIn(`${name}_desc`, ORDERS['-id']),
});

/**
 * SQL for pages, with an array for each column of `page`. The sub-selects hide the length of the arrays from the planner, so that one plan
 * serves all lengths.
 *
 * @param columns the columns of `page` and their types; `size` is one of them
 * @param rows a query that returns up to `page.size + 1` rows: the extra row shows whether another page follows
 */
export function pagesSql(
  { json }: Resource,
  columns: Readonly<Record<string, string>>,
  rows: string,
): string {
  const arrays = Object.values(columns).map((type, index) => `(select $${index + 1}::${type}[])`);
  return `
    select found.next_id as "nextId", found.items
    from unnest(${arrays.join(', ')})
      with ordinality as page (${Object.keys(columns).join(', ')}, number)
    cross join lateral (
      select
        (array_agg(record.id))[page.size + 1] as next_id,
        array_to_string((array_agg(${json}(record)))[:page.size], ',') as items
      from (${rows}) as record) as found
    order by page.number`;
}

/** An array as an element of the array of all pages. PostgreSQL has no ragged arrays, so it is passed as text. */
export const arrayOf = (items: readonly (bigint | string | null)[]): ArrayElement =>
  arrayElement(plainArray(items.map((item) => (typeof item === 'string' ? arrayElement(item) : item))));

/** A filter of a list, by the name of its query parameter: records whose column has this value, or one of several. */
interface Filter {
  readonly type: string;
  /** The column, if not named like the parameter. */
  readonly column?: string;
  /** SQL for the compared expression of a column or parameter value. An index starts with it, followed by the id unless it is unique. */
  readonly comparable?: (value: string) => string;
  /** It may be given several times. Each value is an index range, and the sort merges at most one page per range. */
  readonly isRepeated?: boolean;
}

type FilterValue = bigint | string | readonly string[] | undefined;

/** SQL for a row, or for its only value. */
const row = (values: readonly string[]): string => `(${values.join(', ')})`;

const isAbsent = ({ wanted }: { readonly wanted: string }): string => `${wanted} is null`;

const subsetsOf = <Item>([first, ...others]: readonly Item[]): readonly (readonly Item[])[] =>
  first === undefined ? [[]] : subsetsOf(others).flatMap((subset) => [subset, [first, ...subset]]);

type FilteredPage<Name extends string> = PageRequest & { readonly [Parameter in Name]?: FilterValue };

/**
 * Declares a list, in both orders, with filters that can be combined. Each combination needs an index of its columns, in their order, and of
 * the id: a page uses row comparison, which only that index supports. With the primary key, the planner would scan the whole table for a rare value.
 * Name the filter with the fewest values first: otherwise the planner would consider the other one's own index equally good.
 */
export function listOf<Name extends string>(
  name: string,
  resource: Resource,
  filters: Readonly<Record<Name, Filter>>,
): Lists<FilteredPage<Name>> {
  return inBothOrders(name, (nameInOrder, order) => listInOrder(nameInOrder, resource, filters, order));
}

function listInOrder<Name extends string>(
  name: string,
  resource: Resource,
  filters: Readonly<Record<Name, Filter>>,
  { direction, from, to }: Order,
): List<FilteredPage<Name>> {
  const names = Object.keys(filters) as Name[];
  const conditions = Object.entries<Filter>(filters).map(
    ([parameter, { type, column = parameter, isRepeated = false, ...filter }]) => {
      const comparable = filter.comparable ?? ((value: string) => value);
      const wanted = `page.${column}`;
      const value = isRepeated ? `wanted_${column}` : comparable(wanted);
      return { type, column, isRepeated, wanted, own: comparable(`listed.${column}`), value };
    },
  );
  const branches = subsetsOf(conditions).map((present) => {
    const own = present.map((one) => one.own);
    const values = present.map(({ value }) => value);
    const where = [
      ...conditions.filter((one) => !present.includes(one)).map(isAbsent),
      `${row([...own, 'listed.id'])} ${from} ${row([...values, 'page.from_id'])}`,
      ...(own.length === 0 ? [] : [`${row(own)} ${to} ${row(values)}`]),
    ];
    const rows = `
        (select *
         from ${resource.table} as listed
         where ${where.join('\n           and ')}
         order by ${[...own, 'listed.id'].map((one) => `${one} ${direction}`).join(', ')}
         limit page.size + 1)`;
    const repeated = present.filter(({ isRepeated }) => isRepeated);
    if (repeated.length === 0) return rows;
    const given = repeated.map(({ wanted, value, type }) => `unnest(${wanted}::${type}[]) as ${value}`);
    return `
        (select range.*
         from ${given.join(' cross join ')}
         cross join lateral ${rows.trim()} as range
         order by range.id ${direction}
         limit page.size + 1)`;
  });
  const columns = Object.fromEntries(
    conditions.map(({ column, type, isRepeated }) => [column, isRepeated ? 'text' : type]),
  );
  const sql = pagesSql(
    resource,
    { from_id: 'bigint', size: 'int', ...columns },
    branches.join('\n        union all'),
  );
  return {
    statement: statement(name, sql),
    parameters: [
      ({ fromId }) => fromId,
      ({ limit }) => limit,
      ...names.map((one) => (page: { readonly [Parameter in Name]?: FilterValue }) => {
        const value: FilterValue = page[one];
        if (typeof value === 'object') return arrayOf(value);
        return typeof value === 'string' ? arrayElement(value) : value;
      }),
    ],
  };
}
