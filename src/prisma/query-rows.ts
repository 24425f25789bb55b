import pg from 'pg';

const INT8_OID = 20;

/** int64 as bigint, exact; everything else as `pg` reads it. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format),
};

/** A statement of the service: its name is the one it is prepared under, so each text needs a name of its own. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Where statements are run. */
export interface RowSource {
  /** A pool or a connection. */
  readonly queryable: Pick<pg.Pool | pg.ClientBase, 'query'>;
  /** Whether statements are prepared under their names: planned once a connection. Poolers older than PgBouncer 1.21 cannot. */
  readonly named: boolean;
}

/** Runs a statement; a row is an array of its columns, int64 as bigint. Rejects with the driver's error. */
export async function queryRows<Row extends readonly unknown[]>(
  { queryable, named }: RowSource,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await queryable.query({
    ...(named && { name }),
    text,
    values: [...values],
    rowMode: 'array',
    types: columnTypes,
  });
  return rows as unknown[] as Row[];
}
