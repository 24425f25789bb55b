import type pg from 'pg';

/** A row of the database. */
export type Row = Readonly<Record<string, unknown>>;

/** A statement whose text never changes. It is prepared once a connection, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Which connections send it. */
  readonly pool: 'main' | 'admission';
}

const statements = new Map<string, Statement>();

/**
 * Declares a statement. The set is closed when all modules are loaded: each is prepared before the service is ready.
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

/** The statement that a text belongs to, if it was declared. */
export const statementOf = (text: string): Statement | undefined => statements.get(text);

/** A connection, or a pool of them. */
interface Queryable {
  query<Result extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Result>>;
}

/** Where statements are run without Prisma. */
export interface StatementSource {
  readonly queryable: Queryable;
  /** Whether statements are prepared under their names: planned once a connection. Poolers older than PgBouncer 1.21 cannot. */
  readonly named: boolean;
}

/** Runs a statement without Prisma. Rejects with the driver's error. */
export async function runStatement<Result extends object>(
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

/** An array of bytes as PostgreSQL reads it: Prisma reads an array that begins with null as one of texts. */
export const bytesArray = (items: readonly (Buffer | undefined)[]): readonly (string | null)[] =>
  items.map((item) => (item === undefined ? null : `\\x${item.toString('hex')}`));

/** A text as `plainArray` has it: quoted, whatever it contains. */
export type ArrayElement = string & { readonly __brand: 'ArrayElement' };

export const arrayElement = (text: string): ArrayElement =>
  `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` as ArrayElement;

/**
 * An array of integers or enum values as PostgreSQL reads it. Prisma would wrap each bigint in an object and read it again, which
 * costs the process as much as the driver's whole work for the statement. Nothing is quoted, so the types reject texts: they
 * are `arrayElement`s, or go as native arrays.
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
