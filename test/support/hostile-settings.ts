import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { SESSION_SETTINGS } from '../../src/database/session-settings.js';
import { selectOne } from './sql-outcome.js';

/** Each setting that the service relies on, with a value that another program may want. */
const HOSTILE_SETTINGS: Readonly<Record<keyof typeof SESSION_SETTINGS, string>> = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Tokyo',
  IntervalStyle: 'sql_standard',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  search_path: 'nowhere',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  array_nulls: 'off',
  exit_on_error: 'on',
  default_transaction_isolation: 'serializable',
  jit: 'on',
};

/**
 * Sets them for new sessions of a database, and for those of one role, which win over what is set for the database.
 *
 * @returns the settings that a session has then
 */
export async function setHostileSettings(databaseUrl: string): Promise<Readonly<Record<string, string>>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { isForced } = await selectOne<{ isForced: boolean }>(
    client,
    `select current_setting('server_version_num')::int >= 190000 as "isForced"`,
  );
  // From PostgreSQL 19 on it can only be on.
  const settings = { ...HOSTILE_SETTINGS, ...(isForced && { standard_conforming_strings: 'on' }) };
  const database = escapeIdentifier(new URL(databaseUrl).pathname.slice(1));
  for (const sessions of [`database ${database}`, `role current_user in database ${database}`]) {
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`alter ${sessions} set ${name} = ${escapeLiteral(value)}`);
    }
  }
  await client.end();
  return settings;
}

/** The settings of a session as a query returns them. */
export const SHOWN_SETTINGS = `select ${Object.keys(SESSION_SETTINGS)
  .map((name) => `current_setting(${escapeLiteral(name)}) as ${escapeIdentifier(name)}`)
  .join(', ')}`;
