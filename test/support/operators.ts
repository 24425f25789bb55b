import { Client } from 'pg';

/** Work of an operator that is in progress. */
export interface OperatorAtWork<Result> {
  /** Ends it, and returns the result. Must be called, also when the test fails. */
  stop(): Promise<Result>;
}

/** An operator whose transaction is open, with the locks that one statement took. */
export async function holdOpen(
  databaseUrl: string,
  statement: string,
  values: readonly unknown[],
): Promise<OperatorAtWork<void>> {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return {
    stop: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}
