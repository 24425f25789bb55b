import type { Pool } from 'pg';
import { APPLIED_MIGRATIONS } from './migration-records.js';
import { serverProcessId, SETTING_VALUES } from './session-settings.js';
import { StacklessError } from '../errors/api-error.js';

/** What a session of the service finds. */
export interface SessionReport {
  /** The server is a standby: it takes no writes until it is promoted. */
  readonly isStandby: boolean;
  /** This session is read only, or those that are opened from now on. */
  readonly isReadOnly: boolean;
  /** For `wrongSettings`. */
  readonly settings: readonly string[];
  readonly appliedMigrations: readonly string[];
}

/** Gives a connection back as one that a new one would differ from. */
export class StaleSessionError extends StacklessError {
  override readonly name = 'StaleSessionError';
}

// A session keeps the `default_transaction_read_only` that it began with, so the catalogue says what a new one would have: what
// is set for a role in a database wins over the role's, and that over the database's. It does not hold where the client itself
// has chosen, and new connections to a pooler need not be new to the server.
const CHECK = `
  select
    pg_is_in_recovery() as standby,
    is_read_only or (is_stale and begins_read_only) as read_only,
    is_stale as stale,
    ${SETTING_VALUES} as settings,
    ${APPLIED_MIGRATIONS} as migrations
  from (
    select
      current_setting('default_transaction_read_only')::boolean as is_read_only,
      coalesce((
        select split_part(setting, '=', 2)::boolean
        from pg_db_role_setting s
        cross join unnest(s.setconfig) as setting
        where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
          and s.setrole in (0, (select oid from pg_roles where rolname = session_user))
          and starts_with(setting, 'default_transaction_read_only=')
        order by s.setrole = 0, s.setdatabase = 0
        limit 1), false) as begins_read_only) as here
  cross join lateral (
    select case when pg_backend_pid() = $1::int and is_read_only <> begins_read_only
      then (select source <> 'client' from pg_settings where name = 'default_transaction_read_only')
      else false end as is_stale) as compared`;

interface CheckRow {
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly stale: boolean;
  readonly settings: string[];
  readonly migrations: string[];
}

/** Asks a session of the pool, by one statement. A stale one is dropped, and the idle ones with it. */
export async function checkSession(pool: Pool): Promise<SessionReport> {
  const client = await pool.connect();
  let unfit: Error | undefined;
  try {
    const { rows } = await client.query<CheckRow>(CHECK, [serverProcessId(client)]);
    const [row] = rows;
    if (row === undefined) throw new Error('the check of a session has no row');
    if (row.stale) unfit = new StaleSessionError('new sessions differ in default_transaction_read_only');
    return {
      isStandby: row.standby,
      isReadOnly: row.read_only,
      settings: row.settings,
      appliedMigrations: row.migrations,
    };
  } catch (error) {
    unfit = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(unfit);
  }
}
