import type { Client, QueryResultRow } from 'pg';
import type { CliContext } from './context.js';

/** Runs what changes something in one transaction, in which the audit knows who is at the command line. */
export async function inTransaction<Result>(
  client: Client,
  { actor }: CliContext,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(`select set_config('petstore.actor', $1, true)`, [actor]);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // When even this fails the connection is lost, which undoes everything as well; the first error is the one to tell.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** The same for one statement that answers with one row. */
export function changeOne<Row extends QueryResultRow>(
  client: Client,
  context: CliContext,
  text: string,
  values: readonly unknown[],
): Promise<Row> {
  return inTransaction(client, context, async () => {
    const { rows } = await client.query<Row>(text, [...values]);
    const [row] = rows;
    if (row === undefined) throw new Error(`no row came of: ${text}`);
    return row;
  });
}
