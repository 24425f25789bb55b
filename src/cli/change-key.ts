import type { Command } from 'commander';
import type { Client } from 'pg';
import { inTransaction } from './change.js';
import type { CliContext } from './context.js';
import { addKeyArgument, findKeyId, type KeyReference } from './key-reference.js';
import { type Row, toFacts, toJson } from './output.js';
import { withDatabase } from './session.js';

/** A key as `api_key_overview` shows it. */
export interface KeyOverview extends Row {
  readonly id: bigint;
  readonly name: string;
  readonly prefix: string | null;
}

export interface KeyChange {
  readonly key: KeyReference;
  readonly json: boolean;
  /** Asked with the key as it is, before anything is done; throws when it shall not be. */
  readonly confirm?: (present: KeyOverview) => Promise<void>;
  /** Returns what the called function returned: rows of `api_key_overview`. */
  readonly work: (client: Client, id: bigint) => Promise<readonly Row[]>;
}

export const addChangeCommand = (keys: Command, name: string, description: string): Command =>
  addKeyArgument(keys.command(name)).description(description);

/** Changes one key and shows what became of it. */
export async function changeKey(context: CliContext, { key, json, confirm, work }: KeyChange): Promise<void> {
  const [row = {}] = await withDatabase(context, async ({ client }) => {
    const id = await findKeyId(client, key);
    if (confirm !== undefined) await confirm(await overviewOf(client, id));
    return await inTransaction(client, context, () => work(client, id));
  });
  context.print(json ? toJson(row) : toFacts(row));
}

/** Calls a function of the SQL interface that answers with rows. */
export async function call(
  client: Client,
  expression: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>(`select * from ${expression}`, [...values]);
  return rows;
}

/** Rejects, with the database's hint where to look, when there is no such key. */
export async function overviewOf(client: Client, id: bigint): Promise<KeyOverview> {
  const { rows } = await client.query<KeyOverview>('select * from api_key_overview_of(key_id => $1)', [id]);
  const [row] = rows;
  if (row === undefined) throw new Error(`api_key_overview_of(${id}) returned nothing`);
  return row;
}
