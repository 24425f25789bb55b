import type { ClientBase, Connection, FieldDef, Submittable } from 'pg';

/** The types of the columns that a prepared statement answers with, which PostgreSQL tells in its protocol, in every release. */
export async function columnTypesOf(client: ClientBase, statement: string): Promise<readonly string[]> {
  const fields = await new Promise<readonly FieldDef[]>((resolve, reject) => {
    client.query(new Description(statement, resolve, reject));
  });
  const { rows } = await client.query<{ readonly type: string }>(
    `select oid::regtype::text as type from unnest($1::oid[]) with ordinality as field (oid, place) order by place`,
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  return rows.map(({ type }) => type);
}

/** What the driver calls while it is told. */
class Description implements Submittable {
  #fields: readonly FieldDef[] = [];

  constructor(
    readonly statement: string,
    readonly resolve: (fields: readonly FieldDef[]) => void,
    readonly reject: (error: Error) => void,
  ) {}

  submit(connection: Connection): void {
    connection.describe({ type: 'S', name: this.statement }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#fields = fields;
  }

  handleReadyForQuery(): void {
    this.resolve(this.#fields);
  }

  handleError(error: Error): void {
    this.reject(error);
  }
}
