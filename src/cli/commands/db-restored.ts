import type { Client } from 'pg';
import { CliError } from '../cli-error.js';
import type { CommandSpec } from '../command.js';
import { confirm } from '../context.js';
import { toJson } from '../output.js';
import { type AuditEntry, describe, LackingChanges, type RestoredChanges } from '../restored-changes.js';
import { type Place, type ReadExport, readExport } from '../restored-export.js';
import { changeDatabase, queryOne, streamRows } from '../session.js';

export const restoredCommand: CommandSpec = {
  usage: 'restored',
  says:
    'Run it as the owner after a restore, before the service starts. It compares an exported audit log with the restored one: ' +
    'what was revoked, suspended, expired or made read-only since is so again, the missing entries are added, and ids that were used ' +
    'are not used twice.',
  options: {
    '--audit <file>': {
      says: 'the exported audit log (petstore audit --export); - for standard input, with --yes',
      isRequired: true,
    },
    '--ids-after <id>': 'new pets and orders get ids that are greater than this one',
    '--end-rotated':
      'end the old secrets of rotations when they were to end, although the new secrets are lost',
    '--yes': 'do not ask for confirmation',
  },
  run: async (context, { audit, idsAfter, endRotated, yes, json }) => {
    const { found, failed } = await changeDatabase(context, async (client) => {
      // A person takes time to confirm.
      await client.query('set local idle_in_transaction_session_timeout = 0');
      await rejectReplicas(client);
      const read = await readExport(client, String(audit));
      const changes = await findChanges(client, read, endRotated === true);
      const whole = { ...changes, faults: read.faults, gapSince: read.last?.changed_at ?? null };
      if (json !== true) context.print(report(whole));
      if (yes !== true) {
        await confirm(context, question(changes));
        await rejectReplicas(client);
        await rejectLaterChanges(client, read);
      }
      return { found: whole, failed: await apply(client, changes, idsAfter as bigint | undefined) };
    });
    if (json === true) context.print(toJson({ ...found, failed }));
    if (failed.length > 0)
      throw new CliError(`These are not in the database, or cannot be identified: ${failed.join(', ')}.`);
    if (json !== true) context.print('Done.\n');
  },
  examples: [
    'db restored --audit audit.jsonl --ids-after 2000000',
    'db restored --audit - --ids-after 2000000 --yes < audit.jsonl',
  ],
};

/** A replica would admit a revoked key meanwhile. */
async function rejectReplicas(client: Client): Promise<void> {
  const { count } = await queryOne<{ count: bigint }>(
    client,
    `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'petstore'`,
  );
  if (count > 0n)
    throw new CliError(
      'The service is connected to this database.',
      'Stop all replicas, then run this again.',
    );
}

/** @throws CliError if keys were changed since the restore: the file would undo that */
async function rejectLaterChanges(client: Client, { first, latest }: ReadExport): Promise<void> {
  const { rows } = await client.query<Place>(
    `select id, changed_at from audit_log
     where id >= $1 and date_trunc('milliseconds', changed_at) > $2 and table_name <> 'plans'
     order by id
     limit 1`,
    [first?.id, latest],
  );
  if (rows[0] === undefined) return;
  throw new CliError(
    `Keys were changed in this database after the restore: entry ${rows[0].id} of the audit log, ${rows[0].changed_at}.`,
    'Restore again, and run this before any other change.',
  );
}

async function findChanges(client: Client, read: ReadExport, endsRotated: boolean): Promise<RestoredChanges> {
  if (read.first === undefined && endsRotated)
    throw new CliError(
      'This file has been applied already, so --end-rotated ends nothing.',
      'To end the old secrets of a key: petstore keys rotate 7 --overlap 0',
    );
  await rejectLaterChanges(client, read);
  const { rows } = await client.query<Place>(
    'select id, changed_at from audit_log where id < $1 order by id desc limit 1',
    [read.first?.id],
  );
  const changes = new LackingChanges(rows[0] ?? { id: 0n, changed_at: 'the first change' });
  for await (const entry of streamRows<AuditEntry>(client, { text: 'select * from lacking order by id' }))
    changes.add(entry);
  return changes.result(endsRotated);
}

/** Returns what is not in the database. */
async function apply(
  client: Client,
  { keys, secrets }: RestoredChanges,
  idsAfter: bigint | undefined,
): Promise<readonly string[]> {
  // The ids of the other tables that were used are not known: --ids-after is greater.
  const used = await queryOne<{ api_keys: bigint; audit_log: bigint; [table: string]: bigint }>(
    client,
    'select coalesce(max(api_key_id), 0) as api_keys, coalesce(max(id), 0) as audit_log from lacking',
  );
  const { rows: tables } = await client.query<{ name: string }>('select table_name as name from drawn_ids()');
  for (const { name } of tables) {
    const id = used[name] ?? idsAfter;
    if (id !== undefined) await moveIds(client, name, id);
  }
  // So that the log is whole again, and neither a second run nor a later restore repeats what is done here.
  await client.query(
    'insert into audit_log overriding system value select * from lacking on conflict (id) do nothing',
  );
  const failed: string[] = [];
  for (const { id, values } of keys) {
    const columns = Object.keys(values);
    const set = columns.map((column, index) => `${column} = $${index + 2}`).join(', ');
    const { rowCount } = await client.query(`update api_keys set ${set} where id = $1`, [
      id,
      ...Object.values(values),
    ]);
    if (rowCount === 0) failed.push(`key ${id}`);
  }
  for (const { keyId, prefix, expiresAt } of secrets) {
    // A secret that has ended since cannot be prolonged.
    const { rowCount } = await client.query(
      'select from api_key_secrets where api_key_id = $1 and prefix = $2',
      [keyId, prefix],
    );
    if (rowCount === 0) failed.push(`secret ${prefix} of key ${keyId}`);
    await client.query(
      `update api_key_secrets set expires_at = nullif($3, 'infinity')::timestamptz
       where api_key_id = $1 and prefix = $2
         and (expires_at is null or expires_at > least(clock_timestamp(), $3::timestamptz))`,
      [keyId, prefix, expiresAt],
    );
  }
  return failed;
}

/** Moves the sequence of a table past an id; never back. */
const moveIds = (client: Client, table: string, id: bigint): Promise<unknown> =>
  queryOne(
    client,
    `select setval(used, greatest(nextval(used), $2)) from (select pg_get_serial_sequence(quote_ident($1), 'id')::regclass) as t (used)`,
    [table, id],
  );

const question = ({ keys, secrets }: RestoredChanges): string =>
  `This changes ${keys.length} keys and ${secrets.length} secrets, and moves the ids.`;

interface Found extends RestoredChanges {
  readonly faults: readonly string[];
  readonly gapSince: string | null;
}

function report({ keys, secrets, lost, kept, others, faults, gaps, gapSince }: Found): string {
  return [
    part('Changes that this database lacks:', [
      ...keys.map(({ id, values }) => `key ${id}: ${describe(values)}`),
      ...secrets.map(
        ({ keyId, prefix, expiresAt }) => `secret ${prefix}… of key ${keyId}: expires_at: ${expiresAt}`,
      ),
    ]),
    part('Lost, to be issued again:', lost),
    part('Valid again, because their successors are lost (--end-rotated ends them, in this run only):', kept),
    part('Not applied, to be repeated where they matter:', others),
    part('Left out:', faults),
    part(
      'Numbers without an entry, which were rolled back or are missing in the export, with what was revoked then:',
      gaps,
    ),
    `The export ends at ${gapSince ?? 'no change'}. What was revoked after that, before the failure, is valid again.\n`,
  ].join('');
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
