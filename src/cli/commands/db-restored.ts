import { type Client, DatabaseError } from 'pg';
import { isDataError } from '../../errors/database-errors.js';
import { isMark } from '../audit-export.js';
import { CliError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import { confirm } from '../context.js';
import { toJson } from '../output.js';
import { changeDatabase } from '../session.js';
import { linesOf } from '../text-file.js';

export const restoredCommand: CommandSpec = {
  usage: 'restored',
  says:
    'Run it as the owner after a restore, before the service starts. It compares an exported audit log with the restored one: ' +
    'it repeats later revocations, suspensions, expiries and read-only changes, adds the missing entries, and prevents used ids ' +
    'from being reused.',
  options: {
    '--audit <file>': {
      says: 'the exported audit log (petstore audit --export); - for standard input, with --yes',
      isRequired: true,
    },
    '--ids-after <id>': 'new pets, orders and categories get ids that are greater than this one',
    '--end-rotated': 'end the old secrets of rotations as scheduled, although the new secrets are lost',
    '--yes': 'do not ask for confirmation',
  },
  run: async (context, { audit, idsAfter, endRotated, yes, json }) => {
    const { findings, gapSince, failed } = await changeDatabase(context, async (client) => {
      // Users take time to confirm, and so do ten million entries.
      await client.query(
        'set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0',
      );
      await rejectReplicas(client);
      const { first, last, latest, faults } = await readExport(client, String(audit));
      if (first === undefined && endRotated === true)
        throw new CliError(
          'This file has been applied already, so --end-rotated ends nothing.',
          'To end the old secrets of a key: petstore keys rotate 7 --overlap 0',
        );
      await rejectLaterChanges(client, first, latest);
      await client.query(FIND, [endRotated === true]);
      const { rows } = await client.query<Finding>('select * from found order by number');
      const found = [...rows, ...faults];
      if (json !== true) context.print(`${forPeople(found)}${endOf(last)}`);
      if (yes !== true) {
        const counts = `${ofKind(found, 'keys').length} keys and ${ofKind(found, 'secrets').length} secrets`;
        await confirm(context, `This changes ${counts}, and moves the ids.`);
        await rejectReplicas(client);
        await rejectLaterChanges(client, first, latest);
      }
      return { findings: found, gapSince: last ?? null, failed: await apply(client, found, idsAfter) };
    });
    if (json === true) context.print(toJson({ ...toJsonMembers(findings), gapSince, failed }));
    if (failed.length > 0) throw new CliError(`Could not be applied: ${failed.join(', ')}.`);
    if (json !== true) context.print('Done.\n');
  },
  examples: [
    'db restored --audit audit.jsonl --ids-after 2000000',
    'db restored --audit - --ids-after 2000000 --yes < audit.jsonl',
  ],
};

/** A replica would admit a revoked key meanwhile. */
async function rejectReplicas(client: Client): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_stat_activity where datname = current_database() and application_name = 'petstore' limit 1`,
  );
  if (rowCount !== 0)
    throw new CliError(
      'The service is connected to this database.',
      'Stop all replicas, then run this again.',
    );
}

/** @throws CliError if keys were changed since the restore: the file would undo it */
async function rejectLaterChanges(client: Client, first?: bigint, latest?: string): Promise<void> {
  const { rows } = await client.query<Entry>(
    `select id, changed_at from audit_log
     where id >= $1 and date_trunc('milliseconds', changed_at) > $2 and table_name <> 'plans'
     order by id
     limit 1`,
    [first, latest],
  );
  if (rows[0] === undefined) return;
  throw new CliError(
    `Keys were changed in this database after the restore: entry ${rows[0].id} of the audit log, ${rows[0].changed_at}.`,
    'Restore again, and run this before any other change.',
  );
}

interface Entry {
  readonly id: bigint;
  readonly changed_at: string;
}

interface Export {
  /** The first entry that the database lacks. */
  readonly first: bigint | undefined;
  /** The time of the last entry, and the latest time. */
  readonly last: string | undefined;
  readonly latest: string | undefined;
  /** Lines that are no entries. */
  readonly faults: readonly Finding[];
}

const FAULTS_MAX = 100;

/** Lines per statement. */
const LINES = 2000;

/** Adds the entries that the database does not have, each once. The export has milliseconds, the audit log microseconds. */
const READ_LINES = `
  with entry as materialized (
    select entry.*
    from unnest($1::jsonb[]) as line
    cross join lateral jsonb_path_query(line, '$[*]') as one
    cross join lateral jsonb_populate_record(null::audit_log, case jsonb_typeof(one) when 'object' then one else '{}' end) as entry
  ), added as (
    insert into lacking
    select * from entry
    where not exists (
      select from audit_log as present
      where present.id = entry.id
        and date_trunc('milliseconds', present.changed_at) = date_trunc('milliseconds', entry.changed_at))
    on conflict (id, changed_at) do nothing)
  select id, changed_at, max(changed_at) over () as latest
  from entry
  order by id desc
  limit 1`;

/**
 * Reads an exported audit log, an object a line or an array of objects, into the table `lacking`. An invalid line, such as one that
 * was only partly written, is skipped: other exports may contain it.
 *
 * @throws CliError if there are no entries, and something is wrong
 */
async function readExport(client: Client, path: string): Promise<Export> {
  await client.query(
    'create temporary table lacking (like audit_log including constraints, primary key (id, changed_at)) on commit drop',
  );
  const faults: Finding[] = [];
  let moreFaults = 0;
  const addFault = ({ where }: Line, why: string): void => {
    if (faults.length === FAULTS_MAX) moreFaults += 1;
    else faults.push(faultOf(`${where} is no entry of the audit log: ${why}.`));
  };
  let last: Entry | undefined;
  let latest: string | undefined;
  const add = async (lines: readonly Line[]): Promise<void> => {
    const texts = lines.map(({ text }) => text);
    const { rows } = await client.query<Entry & { readonly latest: string }>(READ_LINES, [texts]);
    for (const row of rows) {
      if (last === undefined || row.id > last.id) last = row;
      if (latest === undefined || row.latest > latest) ({ latest } = row);
    }
  };
  let batch: Line[] = [];
  for await (const line of candidates(path)) {
    if (line.text === undefined) addFault(line, 'it is not UTF-8');
    else if (batch.push(line) === LINES) await bisect(client, batch.splice(0), add, addFault);
  }
  await bisect(client, batch, add, addFault);
  if (moreFaults > 0) faults.push(faultOf(`and ${moreFaults} lines more`));
  if (last === undefined && faults[0] !== undefined)
    throw new CliError(faults[0].subject, 'Such a file is written by: petstore audit --export');
  const { rows } = await client.query<Entry>('select id from lacking order by id limit 1');
  return { first: rows[0]?.id, last: last?.changed_at, latest, faults };
}

interface Line {
  /** `Line 7`, or `The file`. */
  readonly where: string;
  /** Undefined if it is not UTF-8. */
  readonly text?: string;
}

/** Lines that may be entries, unparsed: PostgreSQL parses them, with exact numbers. */
async function* candidates(path: string): AsyncGenerator<Line> {
  let number = 0;
  let array: string[] | undefined;
  for await (const text of linesOf(path)) {
    number += 1;
    // As petstore audit --json writes it.
    if (number === 1 && text?.startsWith('[') === true) array = [];
    if (text === undefined) yield { where: `Line ${number}` };
    else if (array !== undefined) array.push(text);
    else if (text.trim() !== '' && !isMark(text)) yield { where: `Line ${number}`, text };
  }
  if (array !== undefined) yield { where: 'The file', text: array.join('\n') };
}

/** Processes items in a batch. Those that PostgreSQL rejects are found by bisection, and skipped. */
async function bisect<Item>(
  client: Client,
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
  reject: (item: Item, why: string) => void,
): Promise<void> {
  const [one] = items;
  if (one === undefined) return;
  await client.query('savepoint part');
  try {
    await work(items);
    await client.query('release savepoint part');
  } catch (error) {
    if (!(error instanceof DatabaseError && isDataError(error))) throw error;
    await client.query('rollback to savepoint part; release savepoint part');
    if (items.length === 1) return reject(one, error.message);
    const middle = Math.ceil(items.length / 2);
    await bisect(client, items.slice(0, middle), work, reject);
    await bisect(client, items.slice(middle), work, reject);
  }
}

/** What the restored database lacks from the exported audit log. */
interface Finding {
  readonly number: bigint;
  readonly kind: keyof typeof TITLES;
  readonly subject: string;
  readonly change: string | null;
  /** What `--json` has instead of the text. */
  readonly item: unknown;
}

/** Headings of the findings of each kind. The first two are applied. */
const TITLES = {
  keys: 'Changes of keys that this database lacks:',
  secrets: 'Missing expiries of secrets:',
  lost: 'Lost, must be reissued:',
  kept: 'Valid again, because their successors are lost (--end-rotated ends them, in this run only):',
  others: 'Not applied, repeat them if needed:',
  faults: 'Left out:',
  gaps: 'Ids without an entry: rolled back, or missing in the export, possibly including revocations:',
} as const;

const faultOf = (subject: string): Finding => ({
  number: 0n,
  kind: 'faults',
  subject,
  change: null,
  item: null,
});

const ofKind = (findings: readonly Finding[], kind: string): readonly Finding[] =>
  findings.filter((one) => one.kind === kind);

const textOf = ({ subject, change }: Finding): string =>
  change === null ? subject : `${subject}: ${change}`;

const forPeople = (findings: readonly Finding[]): string =>
  Object.entries(TITLES)
    .map(([kind, title]) => ({ title, lines: ofKind(findings, kind).map((one) => `  ${textOf(one)}\n`) }))
    .map(({ title, lines }) => (lines.length === 0 ? '' : `${title}\n${lines.join('')}`))
    .join('');

const endOf = (last = 'no change'): string =>
  `The export ends at ${last}. What was revoked after that, before the failure, is valid again.\n`;

const toJsonMembers = (findings: readonly Finding[]): object =>
  Object.fromEntries(
    Object.keys(TITLES).map((kind) => [kind, ofKind(findings, kind).map((one) => one.item ?? textOf(one))]),
  );

/**
 * Keys and secrets that were issued are lost, with all their changes. For the others, the last value of each column counts, and
 * equal changes of many keys are one finding. A rotated secret ends as scheduled only if $1 is true.
 */
const FIND = `
  create temporary table found on commit drop as
  with entry as materialized (
    select *, case table_name when 'plans' then format('plan %s', plan_id) else format('key %s', api_key_id) end as subject,
      case table_name when 'api_key_secrets' then coalesce(new ->> 'prefix', old ->> 'prefix') end as prefix
    from lacking
  ), issued as materialized (
    select * from entry where action = 'insert' and api_key_id is not null
  ), lost_key as materialized (
    select api_key_id from issued where table_name = 'api_keys'
  ), member as (
    select distinct on (subject, name) id, api_key_id, subject, name, value,
      api_key_id is not null and name in ('revoked_at', 'suspended_until', 'expires_at', 'access') as is_applied
    from entry
    cross join lateral (
      select name, value from jsonb_each(new) as each_member (name, value)
      union all select action, null where action <> 'update') as member
    where table_name <> 'api_key_secrets' and (api_key_id is null or api_key_id not in (select api_key_id from lost_key))
    order by subject, name, id desc
  ), changed as (
    select min(id) as id, api_key_id, subject, is_applied, jsonb_object_agg(name, value) as "values",
      string_agg(
        case when value is null then name else format('%s: %s', name, coalesce(value #>> '{}', '-')) end,
        ', ' order by value is not null, name) as change
    from member group by api_key_id, subject, is_applied
  ), secret as (
    select distinct on (api_key_id, prefix) id, api_key_id, prefix,
      case action when 'delete' then to_jsonb(changed_at) #>> '{}' else coalesce(new ->> 'expires_at', 'infinity') end as ends_at,
      not $1::boolean and api_key_id in (select api_key_id from issued) as is_kept
    from entry
    where table_name = 'api_key_secrets' and not exists (
      select from issued
      where issued.api_key_id = entry.api_key_id and (issued.prefix is null or issued.prefix = entry.prefix))
    order by api_key_id, prefix, id desc
  ), place as (
    select id, changed_at, lag(changed_at) over places as since,
      coalesce(lag(id) over places, case when is_present then id - 1 else 0 end) as last
    from (
      select id, changed_at, false as is_present from lacking
      union all
      select id, changed_at, true from audit_log
      where id >= coalesce((select max(id) from audit_log where id < (select min(id) from lacking)), 0)
        and id <= (select max(id) from lacking)) as entries
    window places as (order by id)
  ), finding as (
    select 'keys' as kind, id, subject, change, jsonb_build_object('id', api_key_id, 'values', "values") as item
    from changed where is_applied
    union all
    select case when is_kept then 'kept' else 'secrets' end, id, format('secret %s of key %s', coalesce(prefix, '-'), api_key_id),
      case when not is_kept then format('expires_at: %s', ends_at) end,
      case when not is_kept then jsonb_build_object('keyId', api_key_id, 'prefix', prefix, 'expiresAt', ends_at) end
    from secret
    union all
    select 'lost', id, case table_name
        when 'api_keys' then format('key %s (%s)', api_key_id, new ->> 'name')
        else format('secret %s of key %s', prefix, api_key_id) end, null, null
    from issued where table_name = 'api_keys' or api_key_id not in (select api_key_id from lost_key)
    union all
    select 'others', min(id), case count(*)
        when 1 then min(subject)
        else format('%s keys (%s%s)', count(*), array_to_string((array_agg(api_key_id order by api_key_id))[:5], ', '),
          case when count(*) > 5 then ', …' end) end, change, null
    from changed where not is_applied
    group by change, case when api_key_id is null then subject end
    union all
    select 'gaps', id, format('%s to %s, between %s and %s', last + 1, id - 1,
      coalesce(to_jsonb(since) #>> '{}', 'the first change'), to_jsonb(changed_at) #>> '{}'), null, null
    from place where id > last + 1)
  select row_number() over (order by kind, id) as number, * from finding`;

/** A sequence never moves back. Used ids of pets, orders and categories are unknown: --ids-after must exceed them. */
const MOVE_IDS = `
  select setval(used, greatest(nextval(used), id))
  from drawn_ids()
  cross join lateral (select pg_get_serial_sequence(quote_ident(table_name), 'id')::regclass) as sequence (used)
  cross join lateral (
    select case table_name
      when 'api_keys' then (select coalesce(max(api_key_id), 0) from lacking)
      when 'audit_log' then (select coalesce(max(id), 0) from lacking)
      else $1 end) as largest (id)
  where id is not null`;

/** Completes the log, so that neither a second run nor a later restore repeats this. */
const COMPLETE_LOG =
  'insert into audit_log overriding system value select * from lacking on conflict (id) do nothing';

/** Each returns the numbers of the findings applied. A secret that has since expired cannot be extended. */
const APPLY = {
  keys: `
    update api_keys
    set (revoked_at, suspended_until, expires_at, access) = (
      select whole.revoked_at, whole.suspended_until, whole.expires_at, whole.access
      from jsonb_populate_record(api_keys, item -> 'values') as whole)
    from found
    where number = any ($1) and api_keys.id = (item ->> 'id')::bigint
    returning number`,
  secrets: `
    update api_key_secrets
    set expires_at = case when expires_at <= least(clock_timestamp(), ends_at) then expires_at else nullif(ends_at, 'infinity') end
    from (select number, item, (item ->> 'expiresAt')::timestamptz as ends_at from found where number = any ($1)) as found
    where api_key_id = (item ->> 'keyId')::bigint and prefix = item ->> 'prefix'
    returning number`,
} as const;

/** Returns what is not in the database, or was rejected. */
async function apply(
  client: Client,
  found: readonly Finding[],
  idsAfter: unknown,
): Promise<readonly string[]> {
  await client.query(MOVE_IDS, [idsAfter]);
  await client.query(COMPLETE_LOG);
  const failed: string[] = [];
  for (const kind of ['keys', 'secrets'] as const) {
    const work = async (part: readonly Finding[]): Promise<void> => {
      const { rows } = await client.query<Finding>(APPLY[kind], [part.map(({ number }) => number)]);
      const applied = new Set(rows.map(({ number }) => number));
      for (const { number, subject } of part)
        if (!applied.has(number)) failed.push(`${subject} (not in the database)`);
    };
    await bisect(client, ofKind(found, kind), work, ({ subject }, why) => failed.push(`${subject} (${why})`));
  }
  return failed;
}
