import { escapeIdentifier, escapeLiteral, type Client } from 'pg';
import type { Config } from '../../config/config.js';
import { describeProtection } from '../../config/database-tls.js';
import {
  isUnchanged,
  listMigrations,
  MIGRATIONS_DIRECTORY,
  readFolded,
  readMigrations,
  readRecords,
  unknownMigrations,
} from '../../database/migration-files.js';
import { describeOldSnapshots, OPEN_SNAPSHOTS, type OpenSnapshot } from '../../database/open-snapshots.js';
import {
  PRINTED_DEFINITIONS,
  readSchemaObjects,
  readTemporaryDefinitions,
  SCHEMA_OBJECTS,
} from '../../database/schema-objects.js';
import {
  describeWrongSetting,
  ROLE_SETTING_VALUES,
  roleSettings,
  wrongSettings,
} from '../../database/session-settings.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { queryOne, type Session } from '../session.js';

export interface Result {
  /** `fail`: the service cannot keep its promises. `warn`: it can, but an operator should look. */
  readonly level: 'ok' | 'warn' | 'fail';
  /** One line: what was found and, unless the level is `ok`, how to fix it. */
  readonly message: string;
}

type CheckContext = Session & Pick<CliContext, 'nowMs'> & { readonly config: Config };

export type Check = (context: CheckContext) => Promise<Result>;

const ok = (message: string): Result => ({ level: 'ok', message });
const warn = (message: string): Result => ({ level: 'warn', message });
const fail = (message: string): Result => ({ level: 'fail', message });

/** The first of several findings, so that a result stays one line. */
const firstOf = ([first = '', ...rest]: readonly string[]): string =>
  rest.length === 0 ? first : `${first} and ${rest.length} more`;

export const checkEncryption: Check = ({ url }) => {
  const { text, needsWarning } = describeProtection(url);
  return Promise.resolve(needsWarning ? warn(`${text}.`) : ok(text));
};

/** Beyond this, reset times and log times of the two machines visibly disagree. */
const CLOCK_DIFFERENCE_MAX_MS = 2000;

export const checkClock: Check = async ({ client, nowMs }) => {
  const before = nowMs();
  const { ms } = await queryOne<{ ms: number }>(
    client,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const after = nowMs();
  // The database read its clock at some time between the two.
  const aheadMs = Math.round(ms - Math.min(Math.max(ms, before), after));
  if (Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MAX_MS) return ok('the database and this machine agree');
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return warn(
    `the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine. ` +
      "Limits follow the database's clock, logs this machine's: synchronise both (NTP).",
  );
};

/** Settings of the roles. The service sets its own on each connection, but behind a pooler connections are shared. */
export const checkSettings: Check = async (context) => {
  const { client, isEmbedded, config } = context;
  const { rows } = await client.query<{ role: string; present: string[] }>(
    `select rolname as role, coalesce(setconfig, '{}') as present
     from pg_roles
     left join pg_db_role_setting
       on setrole = pg_roles.oid and setdatabase = (select oid from pg_database where datname = current_database())
     where rolcanlogin and not rolsuper and pg_has_role(pg_roles.oid, to_regrole('petstore_service'), 'member')
       -- Other roles belong to services on the server's other databases.
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

/** Without dedicated roles, the service uses this session's role. */
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

export const checkMigrations: Check = async ({ client }) => {
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
  const later = (await laterMigrations(client)).length;
  return ok(`${files.length} applied${later > 0 ? `, and ${later} of a newer release` : ''}`);
};

const laterMigrations = async (client: Client): Promise<readonly string[]> =>
  unknownMigrations(
    await readRecords(client),
    await listMigrations(MIGRATIONS_DIRECTORY),
    await readFolded(MIGRATIONS_DIRECTORY),
  );

/** What a partial restore or a manual statement may have omitted or changed, which requests do not notice at first. */
export const checkObjects = async ({ client }: Pick<CheckContext, 'client'>): Promise<Result> => {
  if ((await laterMigrations(client)).length > 0)
    return ok('not compared: the database has migrations of a newer release');
  const { rows } = await client.query<{ object: string; facts: string[] }>(SCHEMA_OBJECTS);
  const present = new Map(rows.map(({ object, facts }) => [object, facts]));
  const wanted = await readSchemaObjects();
  const missing = wanted.filter(({ object }) => !present.has(object)).map(({ object }) => object);
  if (missing.length > 0)
    return fail(
      `${firstOf(missing)} ${missing.length === 1 ? 'is' : 'are'} missing, disabled or not valid. ${REMEDY}`,
    );
  const differing = wanted.flatMap(({ object, facts }) => {
    const found = present.get(object) ?? [];
    const has = found.filter((fact) => !facts.includes(fact)).join(', ');
    const lacks = facts.filter((fact) => !found.includes(fact)).join(', ');
    if (has === '') return lacks === '' ? [] : [`${object} lacks ${lacks}`];
    return [`${object} has ${has}${lacks === '' ? '' : ` instead of ${lacks}`}`];
  });
  if (differing.length > 0)
    return fail(
      `${firstOf(differing)}. As the owner, undo that (alter …), or rerun its definition in prisma/sql.`,
    );
  const changed = await changedDefinitions(client);
  if (changed === undefined)
    return ok(
      'every object is there as released; the text of views was not compared, because this role may not create temporary ones',
    );
  if (changed.length > 0) return fail(`${firstOf(changed)} has another definition. ${REMEDY}`);
  return ok('every object is there as released, and works');
};

const REMEDY =
  'As the owner, run its file in prisma/sql again (tables and indexes: prisma/migrations), then `petstore db roles`.';

/**
 * The views and functions that differ from this release's. What a server prints depends on its version, and a restore recreates them from
 * that print: so the same server prints this release's, and those recreated from the print.
 */
async function changedDefinitions(client: Client): Promise<readonly string[] | undefined> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_database_privilege(current_database(), 'temporary') and not current_setting('transaction_read_only')::boolean as may`,
  );
  if (rows[0]?.may !== true) return undefined;
  await client.query('savepoint definitions; set local search_path = public, pg_temp');
  const present = await printed(client, false);
  await client.query((await readTemporaryDefinitions()).join('\n'));
  const released = await printed(client, true);
  await client.query(released.map(({ statement }) => statement).join('\n'));
  const restored = await printed(client, true);
  await client.query('rollback to savepoint definitions');
  const right = new Set([...released, ...restored].map(({ object, text }) => object + text));
  const names = new Set(released.map(({ object }) => object));
  return present
    .filter(({ object, text }) => names.has(object) && !right.has(object + text))
    .map(({ object }) => object);
}

interface Printed extends Row {
  readonly object: string;
  readonly text: string;
  readonly statement: string;
}

const printed = async (client: Client, isTemporary: boolean): Promise<readonly Printed[]> =>
  (await client.query<Printed>(PRINTED_DEFINITIONS, [isTemporary])).rows;

export const checkSnapshots: Check = async ({ client }) => {
  const { rows } = await client.query<OpenSnapshot>(OPEN_SNAPSHOTS);
  const old = describeOldSnapshots(rows);
  return old.length === 0 ? ok('no snapshot has been open for long') : warn(`${firstOf(old)}.`);
};

/** Writes that change no value: by operators and owners, and by the service. */
const SMALL_WRITES = {
  plans: `
    update plans set custom = custom
    where id = (select id from plans order by id limit 1 for no key update skip locked)`,
  address_usage_hours: `
    insert into address_usage_hours as a values (this_hour(), 'unauthorized', 0)
    on conflict (hour, outcome) do update set requests = a.requests`,
};

/** Writes about 30 MB to a temporary file, which any role may, and which ends with the statement. */
const FILL_FILE = 'select count(*) from generate_series(1, 2000000)';

const SLOW_COMMIT_S = 2;

/** On a full disk, a small write may fit into existing files. It does not wait for a standby: no time-out would end that wait. */
export const checkDisk: Check = async ({ client }) => {
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
