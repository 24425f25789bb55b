// The databases of one test run all begin with its name, so that none stays on a server that outlives it.
import pg from 'pg';

export const templateName = () => `${process.env.TEST_RUN}_template`;

/** Drops every database of this run, also those of tests that failed. */
export async function dropRunDatabases(connectionString) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      `${process.env.TEST_RUN}_`,
    ]);
    for (const { datname } of rows) {
      await client.query(`drop database if exists ${pg.escapeIdentifier(datname)} with (force)`);
    }
  } finally {
    await client.end();
  }
}
