import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Config } from '../config/config.js';
import { isUnchanged, MIGRATIONS_DIRECTORY, readMigrations } from '../database/migration-files.js';
import { readRecords } from '../database/migration-records.js';
import {
  describeWrongSetting,
  ROLE_SETTING_VALUES,
  serverTimeoutMs,
  wrongSettings,
} from '../database/session-settings.js';
import type { CliContext } from './context.js';
import { queryOne, type Session } from './session.js';

export interface Result {
  /** `fail`: the service cannot keep its promises. `warn`: it can, but an operator should look. */
  readonly level: 'ok' | 'warn' | 'fail';
  /** One line: what was found and, unless the level is `ok`, how to fix it. */
  readonly message: string;
}

type CheckContext = Session & Pick<CliContext, 'nowMs'> & { readonly config: Config };

type Check = (context: CheckContext) => Promise<Result>;

const ok = (message: string): Result => ({ level: 'ok', message });
const warn = (message: string): Result => ({ level: 'warn', message });
const fail = (message: string): Result => ({ level: 'fail', message });

/** The versions that every change is tested on. */
const VERSION_MIN = 15;
const VERSION_MAX = 18;

const checkVersion: Check = async ({ client }) => {
  const { major, text } = await queryOne<{ major: number; text: string }>(
    client,
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as text`,
  );
  if (major < VERSION_MIN)
    return fail(`PostgreSQL ${text} is too old: use ${VERSION_MIN} to ${VERSION_MAX}.`);
  if (major > VERSION_MAX)
    return warn(`PostgreSQL ${text} has not been tested, only ${VERSION_MIN} to ${VERSION_MAX}.`);
  return ok(`PostgreSQL ${text}`);
};

const checkWrites: Check = async ({ client }) => {
  const { standby, source } = await queryOne<{ standby: boolean; source: string | null }>(
    client,
    `select pg_is_in_recovery() as standby,
            (select source from pg_settings
             where name = 'default_transaction_read_only' and setting::boolean) as source`,
  );
  if (standby) return fail('this is a standby: connect to the primary, or promote it (pg_promote()).');
  if (source === null) return ok('the database accepts writes');
  return fail(`default_transaction_read_only is on (set by: ${source}): reset it there.`);
};

const checkMigrations: Check = async ({ client }) => {
  const files = await readMigrations(MIGRATIONS_DIRECTORY);
  const records = await readRecords(client);
  const pending = files.filter(({ name }) => !records.has(name));
  if (pending.length > 0) {
    return fail(`${pending.length} of ${files.length} are not applied: run \`petstore db migrate\`.`);
  }
  const edited = files.find((file) => !isUnchanged(file, records.get(file.name) ?? ''));
  if (edited !== undefined) {
    return warn(`${edited.name} was edited after it was applied: restore the file and add a new migration.`);
  }
  const ahead = records.size - files.length;
  return ok(`${files.length} applied${ahead > 0 ? `, and ${ahead} of a newer release` : ''}`);
};

const checkRoles: Check = async ({ client, isEmbedded }) => {
  const { role, is_superuser, tasks } = await queryOne<{
    role: string;
    is_superuser: boolean;
    tasks: string[];
  }>(
    client,
    `select
       current_user as role,
       current_setting('is_superuser')::boolean as is_superuser,
       array_remove(array[
         case when (select pg_has_role(relowner, 'usage') from pg_class where oid = 'public.plans'::regclass)
           then 'migrate' end,
         -- a request needs its key, its counter and its pet
         case when has_table_privilege('public.api_key_secrets', 'select')
             and has_table_privilege('public.api_key_counters', 'update')
             and has_table_privilege('public.pets', 'insert')
             and has_sequence_privilege('public.pets_id_seq', 'usage')
           then 'serve requests' end,
         -- an operator issues and sees keys
         case when has_function_privilege(
               'public.issue_api_key(text, text, integer, integer, timestamptz)', 'execute')
             and has_table_privilege('public.api_key_overview', 'select')
           then 'manage keys and plans' end], null) as tasks`,
  );
  if (tasks.length === 0) {
    return fail(`${role} has no rights here: grant it petstore_service or petstore_operator.`);
  }
  const rights = `${role} may ${tasks.join(', ')}`;
  // Only this user of the operating system reaches the embedded server.
  if (isEmbedded || !is_superuser) return ok(rights);
  return warn(`${role} is a superuser, which the service does not need: use another role.`);
};

/** Rows that were inserted with explicit ids do not move the sequence. The service and issue_api_key do so at the first collision. */
const checkIds: Check = async ({ client }) => {
  const { tables } = await queryOne<{ tables: string[] }>(
    client,
    `select array(
       select name
       from unnest(array['pets', 'orders', 'api_keys', 'audit_log']) as name
       where case
         when has_table_privilege('public.' || name, 'select')
           and has_sequence_privilege('public.' || name || '_id_seq', 'usage')
         then public.next_ids_are_used(
           name, coalesce(pg_sequence_last_value(('public.' || name || '_id_seq')::regclass), 0))
         end) as tables`,
  );
  if (tables.length === 0) return ok('new rows get ids that no row has');
  const fix = tables.map((table) => `select skip_used_ids('${table}');`).join(' ');
  return warn(
    `the sequences of ${tables.join(', ')} are behind ids that rows have already, so a new row may fail or take longer. As the owner, run: ${fix}`,
  );
};

/** Beyond this, reset times and log times of the two machines visibly disagree. */
const CLOCK_DIFFERENCE_MAX_MS = 2000;

const checkClock: Check = async ({ client, nowMs }) => {
  const before = nowMs();
  const { ms } = await queryOne<{ ms: number }>(
    client,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const after = nowMs();
  // The database read its clock at an unknown instant between the two.
  const aheadMs = Math.round(ms - Math.min(Math.max(ms, before), after));
  if (Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MAX_MS) return ok('the database and this machine agree');
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return warn(
    `the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine. ` +
      "Limits follow the database's clock, logs this machine's: synchronise both (NTP).",
  );
};

/** Settings of the role. The service sets its own on each connection, but behind a pooler connections are shared. */
const checkSettings: Check = async ({ client, isEmbedded }) => {
  const { settings, role, database } = await queryOne<{ settings: string[]; role: string; database: string }>(
    client,
    `select ${ROLE_SETTING_VALUES} as settings, session_user as role, current_database() as database`,
  );
  const wrong = isEmbedded ? [] : wrongSettings(settings);
  if (wrong.length === 0) return ok('all session settings are right');
  const target = `${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
  const fix = wrong.map(({ name, wanted }) => `alter role ${target} set ${name} = ${escapeLiteral(wanted)};`);
  return warn(
    `${wrong.map(describeWrongSetting).join(', ')}. The service sets its own, but not behind a pooler; run: ${fix.join(' ')}`,
  );
};

const checkStatementTimeout: Check = async ({ client, config }) => {
  const { ms, role } = await queryOne<{ ms: number; role: string }>(
    client,
    `select reset_val::int as ms, quote_ident(current_user) as role
     from pg_settings where name = 'statement_timeout'`,
  );
  const wanted = serverTimeoutMs(config.database.statementTimeoutMs);
  // 0: the role sets none, so the service sets its own.
  if (ms === 0 || ms === wanted) return ok(`${wanted} ms`);
  const effect = ms < wanted ? 'requests fail early under load' : 'a write may commit after its 503 response';
  return warn(`${ms} ms instead of ${wanted}, so ${effect}: set statement_timeout of ${role} to ${wanted}.`);
};

const checkDurability: Check = async ({ client }) => {
  const { names } = await queryOne<{ names: string | null }>(
    client,
    `select string_agg(name, ', ' order by name) as names from pg_settings
     where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'`,
  );
  if (names === null) return ok('a commit is on disk before the client gets its response');
  return fail(
    `turned off: ${names}. A crash may lose pets and orders that clients saw created. Turn them on.`,
  );
};

/** In the order in which they run. Roles need the tables, so migrations come before. */
export const CHECKS: Readonly<Record<string, Check>> = {
  version: checkVersion,
  writes: checkWrites,
  clock: checkClock,
  settings: checkSettings,
  timeout: checkStatementTimeout,
  durability: checkDurability,
  migrations: checkMigrations,
  roles: checkRoles,
  ids: checkIds,
};
