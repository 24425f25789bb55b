import pg from 'pg';
import { columnTypes } from './column-types.js';

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

/** Runs a statement; a row is an array of its columns. Rejects with the driver's error. */
export async function queryRows<Row extends readonly unknown[]>(
  { queryable, named }: RowSource,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const query = new RowsQuery(statement, values, named);
  await new Promise<void>((resolve, reject) => {
    (queryable as Submitting).query(query, undefined, (error) => (error ? reject(error) : resolve()));
  });
  // Here and not as the rows come in: what a parser throws must meet the caller, and not the driver's socket.
  return query.read() as unknown as Row[];
}

/** What `query` of pools and connections does with a query that was made before; their types leave it out. */
interface Submitting {
  query(query: RowsQuery, values: undefined, done: Done): void;
}

type Done = (error?: Error | null) => void;

interface Column {
  readonly dataTypeID: number;
}

type Texts = readonly (string | null)[];

/**
 * One run of a statement. The driver's own query copies its configuration by property descriptors and makes an empty row of
 * named columns, each time: 6 % of what one client alone costs this process.
 */
class RowsQuery extends pg.Query {
  declare readonly callback: Done;
  readonly name: string | undefined;
  readonly #rows: Texts[] = [];
  #columns: readonly Column[] = [];

  constructor({ name, text }: Statement, values: readonly unknown[], named: boolean) {
    super(text, [...values]);
    this.name = named ? name : undefined;
  }

  read(): unknown[][] {
    const parsers = this.#columns.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID, 'text'));
    return this.#rows.map((row) =>
      row.map((text, column) => (text === null ? null : parsers[column]?.(text))),
    );
  }

  // What the driver calls as the answer comes in; an error it tells the callback by itself.

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#columns = fields;
  }

  handleDataRow({ fields }: { readonly fields: Texts }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    // It says how many rows there are.
  }

  handleReadyForQuery(): void {
    this.callback();
  }
}
