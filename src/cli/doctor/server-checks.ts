import { escapeIdentifier, escapeLiteral } from 'pg';
import {
  describeWrongSetting,
  SERVER_ENCODING,
  serverTimeoutMs,
  SETTING_VALUES,
  wrongSettings,
} from '../../prisma/session-settings.js';
import { queryOne } from '../session.js';
import { type Check, fail, ok, warn } from './check.js';

/** The versions on which every change is tested. */
const OLDEST = 15;
const NEWEST = 18;

export const checkVersion: Check = async ({ client }) => {
  const { number, text } = await queryOne<{ number: number; text: string }>(
    client,
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  );
  const major = Math.floor(number / 10_000);
  if (major < OLDEST) return fail(`PostgreSQL ${text} is too old: use ${OLDEST} to ${NEWEST}.`);
  if (major > NEWEST)
    return warn(`PostgreSQL ${text} is newer than what this release was tested on (${OLDEST} to ${NEWEST}).`);
  return ok(`PostgreSQL ${text}`);
};

/** Whether the service could write; the checks themselves run read only. */
export const checkWrites: Check = async ({ client }) => {
  const { standby, source } = await queryOne<{ standby: boolean; source: string | null }>(
    client,
    `select pg_is_in_recovery() as standby,
            (select source from pg_settings
             where name = 'default_transaction_read_only' and setting::boolean) as source`,
  );
  if (standby) return fail('a standby takes none: connect to the primary, or promote it (pg_promote()).');
  if (source !== null) {
    return fail(`default_transaction_read_only is on, set by the ${source}: reset it there.`);
  }
  return ok('the database takes them');
};

export const checkEncoding: Check = async ({ client }) => {
  const { encoding } = await queryOne<{ encoding: string }>(
    client,
    `select current_setting('server_encoding') as encoding`,
  );
  if (encoding === SERVER_ENCODING) return ok(encoding);
  return fail(
    `${encoding}: the service does not start on it. Create a database with template template0 encoding '${SERVER_ENCODING}', and restore a dump of this one into it.`,
  );
};

/** A larger difference makes resets and logs of the two machines disagree. */
const DIFFERENCE_MAX_MS = 2000;

export const checkClock: Check = async ({ client, nowMs }) => {
  const before = nowMs();
  const { ms } = await queryOne<{ ms: number }>(
    client,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const after = nowMs();
  // The database read its clock at some instant between the two.
  const aheadMs = Math.round(ms - Math.min(Math.max(ms, before), after));
  if (Math.abs(aheadMs) <= DIFFERENCE_MAX_MS) return ok('the database and this machine agree');
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return warn(
    `the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine: limits go by the database's clock, logs by the other; synchronise both (NTP).`,
  );
};

/** The settings of sessions that connect as this one does: the service's own, unless a pooler is between. */
export const checkSettings: Check = async ({ client }) => {
  const { settings, role, database } = await queryOne<{ settings: string[]; role: string; database: string }>(
    client,
    `select ${SETTING_VALUES} as settings, session_user as role, current_database() as database`,
  );
  const wrong = wrongSettings(settings);
  if (wrong.length === 0) return ok("the service's own");
  const found = wrong.map(describeWrongSetting);
  const of = `${escapeIdentifier(role)} in database ${escapeIdentifier(database)}`;
  const remedy = wrong.map(({ name, wanted }) => `alter role ${of} set ${name} = ${escapeLiteral(wanted)};`);
  const message = `${found.join(', ')}, and through a pooler the service cannot set it: ${remedy.join(' ')}`;
  return wrong.some(({ isHarmful }) => isHarmful) ? fail(message) : warn(message);
};

/** The value that sessions of this role begin with; the checks themselves run without. */
export const checkStatementTimeout: Check = async ({ client, config }) => {
  const { ms, role } = await queryOne<{ ms: number; role: string }>(
    client,
    `select reset_val::int as ms, quote_ident(current_user) as role from pg_settings where name = 'statement_timeout'`,
  );
  const { statementTimeoutMs } = config.database;
  if (ms === 0) {
    return ok(`that of the service, ${statementTimeoutMs} ms (DATABASE_STATEMENT_TIMEOUT_MS)`);
  }
  const fitting = serverTimeoutMs(statementTimeoutMs);
  const advice = `${fitting} ms fit the service, which gives a connection up after ${statementTimeoutMs} (DATABASE_STATEMENT_TIMEOUT_MS): set that for ${role}.`;
  if (ms < fitting) return warn(`${ms} ms: busy seconds answer 503 too early. ${advice}`);
  if (ms > fitting) {
    return warn(
      `${ms} ms: the service counts on less, and a write may commit after it was answered 503. ${advice}`,
    );
  }
  return ok(`${ms} ms`);
};

export const checkDurability: Check = async ({ client }) => {
  const {
    fsync,
    full_pages: fullPages,
    commit,
  } = await queryOne<{ fsync: string; full_pages: string; commit: string }>(
    client,
    `select current_setting('fsync') as fsync,
            current_setting('full_page_writes') as full_pages,
            current_setting('synchronous_commit') as commit`,
  );
  if (fsync !== 'on')
    return fail('fsync is off: a crash of the machine may destroy everything. Set fsync = on.');
  if (fullPages !== 'on') {
    return warn(
      'full_page_writes is off: unless the disk never tears a page, a crash may destroy some. Set it on.',
    );
  }
  if (commit === 'off') {
    return fail(
      'synchronous_commit is off: a crash loses animals and orders that were answered with 201. Set it on.',
    );
  }
  return ok(`fsync on, synchronous_commit ${commit}`);
};
