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
export const queryRows = <Row extends readonly unknown[]>(
  { queryable, named }: RowSource,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    const query = new RowsQuery(statement, values, named);
    (queryable as Submitting).query(query, undefined, (error, rows) => {
      if (rows === undefined) reject(error);
      else resolve(rows as unknown as Row[]);
    });
  });

/** What `query` of pools and connections does with a query that was made before; their types leave it out. */
interface Submitting {
  query(query: RowsQuery, values: undefined, done: Done): void;
}

type Done = (error: unknown, rows?: readonly unknown[][]) => void;

interface Column {
  readonly dataTypeID: number;
}

/**
 * One run of a statement. The driver's own query copies its configuration by property descriptors and makes an empty row of
 * named columns, each time: together a twentieth of what the answer to one client alone takes.
 */
class RowsQuery extends pg.Query {
  declare readonly callback: Done;
  readonly name: string | undefined;
  readonly #rows: unknown[][] = [];
  #parsers: readonly ((text: string) => unknown)[] = [];

  constructor({ name, text }: Statement, values: readonly unknown[], named: boolean) {
    super(text, [...values]);
    this.name = named ? name : undefined;
  }

  // What the driver calls as the answer comes in; an error it tells the callback by itself.

  handleRowDescription({ fields }: { readonly fields: readonly Column[] }): void {
    this.#parsers = fields.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID, 'text'));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields.map((text, column) => (text === null ? null : this.#parsers[column]?.(text))));
  }

  handleCommandComplete(): void {
    // It says how many rows there are.
  }

  handleReadyForQuery(): void {
    this.callback(undefined, this.#rows);
  }
}
