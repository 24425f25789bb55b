import { DatabaseError, type Pool } from 'pg';

type Queryable = Pick<Pool, 'query'>;

/** The one row of a query. */
export async function selectOne<Row extends object>(
  queryable: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const { rows } = await queryable.query<Row>(sql, [...values]);
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${rows.length} rows instead of one: ${sql}`);
  return row;
}

/** The error of a rejected statement, as an operator reads it. */
export interface Rejection {
  /** SQLSTATE. */
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Undefined when the statement succeeded. */
export async function rejectionOf(
  queryable: Queryable,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Rejection | undefined> {
  try {
    await queryable.query(sql, [...values]);
    return undefined;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return { code: error.code, message: error.message, hint: error.hint };
  }
}
