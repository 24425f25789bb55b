import type pg from 'pg';

/** A row of the database. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement with a constant text. It is prepared once per connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The pool that sends it. */
  readonly pool: 'main' | 'admission';
}

const statements = new Map<string, Statement>();

/**
 * Declares a statement. The set is complete once all modules are loaded: each is prepared before the service is ready.
 *
 * @throws Error when another statement has this name
 */
export function statement(name: string, text: string, pool: Statement['pool'] = 'main'): Statement {
  const declared = { name, text, pool };
  for (const other of statements.values()) {
    if (other.name === name) throw new Error(`two statements are called ${name}`);
  }
  statements.set(text, declared);
  return declared;
}

/** The declared statement with this text, if any. */
export const statementOf = (text: string): Statement | undefined => statements.get(text);

/** A connection, or a pool of them. */
interface Queryable {
  query<Result extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Result>>;
}

/** Runs statements without Prisma. */
export interface StatementSource {
  readonly queryable: Queryable;
  /** Whether statements are prepared by name: planned once per connection. PgBouncer before 1.21 cannot do this. */
  readonly named: boolean;
}

/** Runs a statement without Prisma. Rejects with the driver's error. */
export async function queryWithoutPrisma<Result extends object>(
  { queryable, named }: StatementSource,
  { name, text }: Pick<Statement, 'name' | 'text'>,
  values: readonly unknown[],
): Promise<Result[]> {
  const { rows } = await queryable.query<Result>({ ...(named && { name }), text, values: [...values] });
  return rows;
}

/** All statements of a pool. */
export const statementsOf = (pool: Statement['pool']): readonly Statement[] =>
  [...statements.values()].filter((one) => one.pool === pool);

/** A bytea array in PostgreSQL's format: Prisma treats an array that begins with null as text[]. */
export const bytesArray = (items: readonly (Buffer | undefined)[]): readonly (string | null)[] =>
  items.map((item) => (item === undefined ? null : `\\x${item.toString('hex')}`));

/** A string as an element of `plainArray`: always quoted. */
export type ArrayElement = string & { readonly __brand: 'ArrayElement' };

export const arrayElement = (text: string): ArrayElement =>
  `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` as ArrayElement;

/**
 * An array of integers or enum values in PostgreSQL's format. Prisma would wrap each bigint in an object and unwrap it, which
 * costs the process as much as the driver's whole work for the statement. Nothing is quoted, so the types reject strings: they
 * are `arrayElement`s, or native arrays.
 */
export const plainArray = <Item extends bigint | number | string | null | undefined>(
  items: readonly Item[] & (string extends Item ? never : unknown),
): string => `{${items.map((item) => item ?? 'null').join(',')}}`;

/**
 * Members as the columns of a row, for `jsonb_populate_record`: `categoryId` as `category_id`. An int64 is text there, because
 * JSON.stringify takes no bigint.
 */
export const columnsJson = (members: object): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(members).map(([name, value]: [string, unknown]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === 'bigint' ? String(value) : value,
      ]),
    ),
  );
