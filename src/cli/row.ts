/** A row of the database. */
export type Row = Readonly<Record<string, unknown>>;
