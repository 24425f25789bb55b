import { describeProtection } from '../../config/database-tls.js';
import {
  describeSnapshot,
  OLD_SNAPSHOT_S,
  OPEN_SNAPSHOTS,
  type OpenSnapshot,
} from '../../database/open-snapshots.js';
import { queryOne } from '../session.js';
import { type Check, fail, ok, firstOf, warn } from './check.js';

/** The versions that every change is tested on. */
const VERSION_MIN = 15;
const VERSION_MAX = 18;

export const checkEncryption: Check = ({ url }) => {
  const { text, isDoubtful } = describeProtection(url);
  return Promise.resolve(isDoubtful ? warn(`${text}.`) : ok(text));
};

export const checkVersion: Check = async ({ client }) => {
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

export const checkWrites: Check = async ({ client }) => {
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

/** Beyond this, reset times and log times of the two machines visibly disagree. */
const CLOCK_DIFFERENCE_MAX_MS = 2000;

export const checkClock: Check = async ({ client, nowMs }) => {
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

export const checkDurability: Check = async ({ client }) => {
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

export const checkSnapshots: Check = async ({ client }) => {
  const { rows } = await client.query<OpenSnapshot>(OPEN_SNAPSHOTS);
  // A session whose time this role may not see may have begun just now, while an older one keeps its snapshot old.
  const old = rows.filter(({ kind, seconds, transactions }) =>
    seconds === null
      ? kind !== 'session' && transactions >= OLD_SNAPSHOT_TRANSACTIONS
      : seconds >= OLD_SNAPSHOT_S,
  );
  if (old.length === 0) return ok('no snapshot has been open for long');
  return warn(`${firstOf(old.map((one) => describeSnapshot(one, one.seconds)))}.`);
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

const GIBIBYTE = 2 ** 30;

/** A slot that nothing reads keeps the server's log until the disk is full. */
export const checkSlots: Check = async ({ client }) => {
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
    `${firstOf(slots)}. Bring its reader back, or drop the slot before the disk is full: select pg_drop_replication_slot('…').`,
  );
};
