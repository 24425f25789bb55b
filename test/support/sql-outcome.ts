import { DatabaseError, type Pool } from 'pg';

type Queryable = Pick<Pool, 'query'>;

/** What a statement of an operator shows: its one row. */
export async function showsOne<Row extends object>(
  queryable: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await queryable.query<Row>(sql, [...values]);
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows instead of one: ${sql}`);
  return row;
}

/** What an operator is told when a statement is refused. */
export interface Refusal {
  /** SQLSTATE. */
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Undefined when the statement was not refused. */
export async function refusalOf(
  queryable: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Refusal | undefined> {
  try {
    await queryable.query(sql, [...values]);
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}
