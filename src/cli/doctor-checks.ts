import { escapeIdentifier, escapeLiteral } from 'pg';
import { describeProtection } from '../config/database-tls.js';
import type { Config } from '../config/config.js';
import {
  isUnchanged,
  MIGRATIONS_DIRECTORY,
  readMigrations,
  readRecords,
} from '../database/migration-files.js';
import {
  describeWrongSetting,
  ROLE_SETTING_VALUES,
  roleSettings,
  serverTimeoutMs,
  wrongSettings,
} from '../database/session-settings.js';
import {
  describeSnapshot,
  OLD_SNAPSHOT_S,
  OPEN_SNAPSHOTS,
  type OpenSnapshot,
} from '../database/open-snapshots.js';
import { readSchemaObjects, SCHEMA_OBJECTS } from '../database/schema-objects.js';
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

const checkEncryption: Check = ({ url }) => {
  const { text, isDoubtful } = describeProtection(url);
  return Promise.resolve(isDoubtful ? warn(`${text}.`) : ok(text));
};

const checkVersion: Check = async ({ client }) => {
  const { major, text } = await queryOne<{ major: number; text: string }>(
    client,
    `select current_setting('server_version_num')::int / 10000 as major, current_setting('server_version') as text`,
  );
  if (major < VERSION_MIN)
    return fail(`PostgreSQL ${text} is too old: use ${VERSION_MIN} to ${VERSION_MAX}.`);
  if (major > VERSION_MAX)
    return ok(`PostgreSQL ${text}, newer than tested (${VERSION_MIN} to ${VERSION_MAX})`);
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
           then 'manage keys and plans'
         -- support sees them
         when has_table_privilege('public.api_key_overview', 'select') then 'see keys and plans' end], null) as tasks`,
  );
  if (tasks.length === 0) {
    return fail(
      `${role} has no rights here: grant it petstore_service, petstore_operator or petstore_support.`,
    );
  }
  const rights = `${role} may ${tasks.join(', ')}`;
  // Only this user of the operating system reaches the embedded server.
  if (isEmbedded || !is_superuser) return ok(rights);
  return warn(`${role} is a superuser, which the service does not need: use another role.`);
};

/** A restored database has the rights of `pg_restore`, and none of those that belong to the database itself. */
const checkRights: Check = async ({ client }) => {
  const { excess, missing, beyond } = await queryOne<Record<'excess' | 'missing' | 'beyond', string[]>>(
    client,
    `with service as (select to_regrole('petstore_service')::oid as service),
       rights as (select difference, format('%s (%s on %s)', role, privilege, target) as text from rights_that_differ())
     select
       array_remove(array[
         case when has_database_privilege(service, current_database(), 'temporary') then 'temporary tables' end,
         case when has_schema_privilege(service, 'public', 'create') then 'objects in the schema public' end], null) as excess,
       array(select text from rights where difference = 'missing' order by text) as missing,
       array(select text from rights where difference = 'beyond' order by text) as beyond
     from service`,
  );
  if (missing.length > 0) return warn(`missing rights: ${some(missing)}: run \`petstore db roles\`.`);
  if (beyond.length > 0)
    return warn(`rights that they should not have: ${some(beyond)}: run \`petstore db roles\`.`);
  if (excess.length === 0) return ok('the roles have the rights that they need');
  return warn(`petstore_service may create ${excess.join(', ')}: run \`petstore db roles\` as a superuser.`);
};

/** Whether one login could exhaust the server. */
const checkServer: Check = async ({ client, isEmbedded }) => {
  const { findings } = await queryOne<{ findings: string[] }>(
    client,
    'select array(select finding from missing_protections()) as findings',
  );
  if (isEmbedded || findings.length === 0)
    return ok('no login can exhaust the connections, memory or disk of the server');
  return warn(`${findings.join('; ')}: as a superuser, run deploy/postgres/roles.sh.`);
};

const some = ([first = '', ...rest]: readonly string[]): string =>
  rest.length === 0 ? first : `${first} and ${rest.length} more`;

/**
 * Rows that were inserted with explicit ids do not move the sequence. The service and issue_api_key do so at the first collision.
 * Callers choose numbers of categories, and new_category skips them.
 */
const checkIds: Check = async ({ client }) => {
  const { tables } = await queryOne<{ tables: string[] }>(
    client,
    `select array(
       select table_name::text
       from drawn_ids()
       where table_name <> 'categories' and case
         when has_table_privilege(quote_ident(table_name), 'select') and has_sequence_privilege(quote_ident(sequence_name), 'usage')
         then next_ids_are_used(table_name, coalesce(pg_sequence_last_value(quote_ident(sequence_name)::regclass), 0))
         end) as tables`,
  );
  if (tables.length === 0) return ok('new rows get unused ids');
  const fix = tables.map((table) => `select skip_used_ids('${table}');`).join(' ');
  return warn(
    `the sequences of ${tables.join(', ')} are behind ids that are in use, so a new row may fail or take longer. As the owner, run: ${fix}`,
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

/** Settings of the roles. The service sets its own on each connection, but behind a pooler connections are shared. */
const checkSettings: Check = async (context) => {
  const { client, isEmbedded, config } = context;
  const { rows } = await client.query<{ role: string; present: string[] }>(
    `select rolname as role, coalesce(setconfig, '{}') as present
     from pg_roles
     left join pg_db_role_setting
       on setrole = pg_roles.oid and setdatabase = (select oid from pg_database where datname = current_database())
     where rolcanlogin and not rolsuper and pg_has_role(pg_roles.oid, to_regrole('petstore_service'), 'member')
       -- The others belong to services on other databases of the server.
       and (setconfig is not null or rolname = session_user or exists (
         select from pg_stat_activity where usesysid = pg_roles.oid and datname = current_database()))
     order by rolname`,
  );
  if (rows.length === 0) return isEmbedded ? ok(RIGHT_SETTINGS) : await checkOwnSettings(context);
  const wanted = Object.entries(roleSettings(config.database.statementTimeoutMs)).map((one) => one.join('='));
  const faults = rows.flatMap(({ role, present }) => {
    const missing = wanted.filter((one) => !present.includes(one));
    return missing.length === 0 ? [] : [`${role} lacks ${missing.map((one) => `'${one}'`).join(', ')}`];
  });
  if (faults.length === 0) return ok(RIGHT_SETTINGS);
  return warn(
    `${faults.join('; ')}. The service sets its own, but not behind a pooler; as a superuser, run: petstore db roles`,
  );
};

const RIGHT_SETTINGS = 'all session settings are correct';

/** Without roles of its own, the service has that of this session. */
async function checkOwnSettings({ client }: CheckContext): Promise<Result> {
  const { settings, role, database } = await queryOne<{ settings: string[]; role: string; database: string }>(
    client,
    `select ${ROLE_SETTING_VALUES} as settings, session_user as role, current_database() as database`,
  );
  const wrong = wrongSettings(settings);
  if (wrong.length === 0) return ok(RIGHT_SETTINGS);
  const target = `${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
  const fix = wrong.map(({ name, wanted }) => `alter role ${target} set ${name} = ${escapeLiteral(wanted)};`);
  return warn(
    `${wrong.map(describeWrongSetting).join(', ')}. The service sets its own, but not behind a pooler; run: ${fix.join(' ')}`,
  );
}

const checkStatementTimeout: Check = async ({ client, config }) => {
  const { ms, role, serves } = await queryOne<{ ms: number; role: string; serves: boolean | null }>(
    client,
    `select reset_val::int as ms, quote_ident(current_user) as role,
       pg_has_role(to_regrole('petstore_service'), 'member')
         or not (pg_has_role(to_regrole('petstore_operator'), 'member') or pg_has_role(to_regrole('petstore_support'), 'member')) as serves
     from pg_settings where name = 'statement_timeout'`,
  );
  // Operators and support have time-outs of their own: prisma/roles.sql.
  if (serves === false) return ok(`${ms} ms, for people`);
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

/** What has no time, such as a slot, is old from here on: ten minutes of a busy service. */
const OLD_SNAPSHOT_TRANSACTIONS = 300_000;

const checkSnapshots: Check = async ({ client }) => {
  const { rows } = await client.query<OpenSnapshot>(OPEN_SNAPSHOTS);
  // A session whose time this role may not see may have begun just now, while an older one keeps its snapshot old.
  const old = rows.filter(({ kind, seconds, transactions }) =>
    seconds === null
      ? kind !== 'session' && transactions >= OLD_SNAPSHOT_TRANSACTIONS
      : seconds >= OLD_SNAPSHOT_S,
  );
  if (old.length === 0) return ok('no snapshot has been open for long');
  const sentences = old.map((one) =>
    describeSnapshot(
      one,
      one.seconds === null
        ? `for ${one.transactions} transactions`
        : `for ${Math.floor(one.seconds / 60)} minutes`,
    ),
  );
  return warn(`${some(sentences)}.`);
};

/** Writes that change no value: for operators and owners, and for the service. */
const SMALL_WRITES = {
  plans: `
    update plans set custom = custom
    where id = (select id from plans order by id limit 1 for no key update skip locked)`,
  address_usage_hours: `
    insert into address_usage_hours as a values (this_hour(), 'unauthorized', 0)
    on conflict (hour, outcome) do update set requests = a.requests`,
};

/** Writes some 30 MB to a temporary file, which every login may, and which ends with the statement. */
const FILL_FILE = 'select count(*) from generate_series(1, 2000000)';

const SLOW_COMMIT_S = 2;

/** A small write may find room in files that are there, when the disk is full. It does not wait for a standby, for which no time-out would end it. */
const checkDisk: Check = async ({ client }) => {
  await client.query(`set local work_mem = '64kB'`);
  await client.query(FILL_FILE);
  const { table } = await queryOne<{ table: keyof typeof SMALL_WRITES | null }>(
    client,
    `select case
       when current_setting('transaction_read_only')::boolean then null
       when has_column_privilege('plans', 'custom', 'update') then 'plans'
       when has_table_privilege('address_usage_hours', 'insert, update') then 'address_usage_hours' end as table`,
  );
  if (table === null)
    return ok(
      'there is room; no commit was tried, because this login may not write: run the doctor as an operator, too',
    );
  const beganAt = performance.now();
  await client.query(`set local statement_timeout = '10s'`);
  await client.query(`set local synchronous_commit = 'local'`);
  await client.query(SMALL_WRITES[table]);
  await client.query('commit and chain');
  const seconds = (performance.now() - beganAt) / 1000;
  if (seconds < SLOW_COMMIT_S) return ok('there is room, and a small write was committed');
  return warn(`a commit took ${seconds.toFixed(1)} s: the disk is slow.`);
};

/** Bans begin again only after such a time: a clock was ahead, or the trigger that rejects it was disabled. */
const checkBans: Check = async ({ client }) => {
  const { rows } = await client.query<{ key: string }>(
    `select format('key %s until %s', id, bans_lifted_at) as key
     from api_keys where bans_lifted_at > latest_lift() order by id limit 100`,
  );
  if (rows.length === 0) return ok('every key can be banned');
  const keys = some(rows.map(({ key }) => key));
  return warn(
    `bans are lifted in the future, so they do not hold: ${keys}. Set bans_lifted_at to now() for each.`,
  );
};

const GIBIBYTE = 2 ** 30;

/** A slot that nothing reads keeps the server's log until the disk is full. */
const checkSlots: Check = async ({ client }) => {
  const { rows } = await client.query<{
    slot: string;
    bytes: string | null;
    active: boolean;
    status: string;
  }>(
    `select slot_name as slot, active, wal_status as status,
       case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end::text as bytes
     from pg_replication_slots where not temporary order by slot_name`,
  );
  const late = rows.filter(({ bytes, status }) => Number(bytes) > GIBIBYTE || status === 'lost');
  if (late.length === 0) return ok('no replication slot is behind');
  const slots = late.map(({ slot, bytes, active, status }) =>
    status === 'lost'
      ? `${slot} has lost what it needs: set up its reader again`
      : `${slot} keeps ${(Number(bytes) / GIBIBYTE).toFixed(1)} GiB of the log${active ? '' : ', and nothing is connected to it'}`,
  );
  return warn(
    `${some(slots)}. Bring its reader back, or drop the slot before the disk is full: select pg_drop_replication_slot('…').`,
  );
};

/** What a restore in parts or an operator's statement may have left out, which no request notices at first. */
const checkObjects: Check = async ({ client }) => {
  const { rows } = await client.query<{ object: string }>(SCHEMA_OBJECTS);
  const present = new Set(rows.map(({ object }) => object));
  const missing = (await readSchemaObjects()).filter((object) => !present.has(object));
  if (missing.length === 0)
    return ok('every table, view, function, trigger, index and constraint is there and works');
  return fail(
    `${some(missing)} ${missing.length === 1 ? 'is' : 'are'} missing, disabled or not valid. Their definitions are in prisma/sql and prisma/migrations: as the owner, run them again.`,
  );
};

/** In the order in which they run. Roles need the tables, so migrations come before. */
export const CHECKS: Readonly<Record<string, Check>> = {
  encryption: checkEncryption,
  version: checkVersion,
  writes: checkWrites,
  clock: checkClock,
  settings: checkSettings,
  timeout: checkStatementTimeout,
  durability: checkDurability,
  migrations: checkMigrations,
  objects: checkObjects,
  roles: checkRoles,
  rights: checkRights,
  server: checkServer,
  ids: checkIds,
  snapshots: checkSnapshots,
  bans: checkBans,
  slots: checkSlots,
  disk: checkDisk,
};
