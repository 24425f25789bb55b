import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { stringify } from 'lossless-json';
import type { Client } from 'pg';
import { describeFault } from '../../common/errors/describe-fault.js';
import { examples, givenId, type JsonOption } from '../arguments.js';
import { CliError } from '../cli-error.js';
import { type CliContext, confirm } from '../context.js';
import { toJson } from '../output.js';
import {
  type AuditEntry,
  changesOf,
  describe,
  gapsIn,
  readAudit,
  type RestoredChanges,
} from '../restored-changes.js';
import type { Row } from '../row.js';
import { changeDatabase, queryOne, withDatabase } from '../session.js';

interface RestoredOptions extends JsonOption {
  readonly audit: string;
  readonly idsAfter?: bigint;
  readonly endRotated?: true;
  readonly yes?: true;
}

export function addRestoredCommand(db: Command, context: CliContext): void {
  db.command('restored')
    .description(
      'Run it as the owner after a restore, before the service starts. It compares an exported audit log with the restored one: ' +
        'what was revoked, suspended, expired or made read-only since is so again, the missing entries are added, and ids that were used ' +
        'are not used twice.',
    )
    .requiredOption('--audit <file>', 'the exported audit log (petstore audit --json-lines)')
    .option('--ids-after <id>', 'new pets and orders get ids that are greater than this one', givenId)
    .option(
      '--end-rotated',
      'end the old secrets of rotations when they were to end, although the new secrets are lost',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print an object')
    .action(async ({ audit, idsAfter, endRotated, yes, json }: RestoredOptions) => {
      const { entries, faults } = await readEntries(audit);
      const { missing, gaps } = await withDatabase(context, async ({ client }) => {
        await rejectReplicas(client);
        return await missingFrom(client, entries);
      });
      if (missing.length === 0 && endRotated === true)
        throw new CliError(
          'This file has been applied already, so --end-rotated ends nothing.',
          'To end the old secrets of a key: petstore keys rotate 7 --overlap 0',
        );
      const changes = changesOf(missing, endRotated === true);
      const found = { ...changes, faults, gaps, gapSince: entries.at(-1)?.changed_at ?? null };
      if (json !== true) context.print(report(found));
      if (yes !== true) await confirm(context, question(changes));
      const { failed } = await changeDatabase(context, (client) => apply(client, changes, missing, idsAfter));
      if (json === true) context.print(toJson({ ...found, failed }));
      if (failed.length > 0)
        throw new CliError(`These are not in the database, or cannot be identified: ${failed.join(', ')}.`);
      if (json !== true) context.print('Done.\n');
    })
    .addHelpText('after', examples('petstore db restored --audit audit.jsonl --ids-after 2000000'));
}

const readEntries = async (file: string): Promise<ReturnType<typeof readAudit>> =>
  readAudit(
    await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new CliError(`Cannot read ${file}: ${describeFault(cause)}`);
    }),
  );

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

/**
 * The entries that the database does not have, and the numbers before and between them that no entry has.
 *
 * @throws CliError if keys were changed since the restore: the file would undo that
 */
async function missingFrom(
  client: Client,
  entries: readonly AuditEntry[],
): Promise<{ readonly missing: readonly AuditEntry[]; readonly gaps: readonly string[] }> {
  type Present = Pick<AuditEntry, 'id' | 'changed_at'>;
  const { rows } = await client.query<Present>(
    'select id, changed_at from audit_log where id = any ($1::bigint[])',
    [entries.map(({ id }) => String(id))],
  );
  const present = new Set(rows.map(({ id, changed_at: at }) => `${id} ${at}`));
  const missing = entries.filter(({ id, changed_at: at }) => !present.has(`${id} ${at}`));
  const [first] = missing;
  if (first === undefined) return { missing, gaps: [] };
  const { rows: since } = await client.query<Present>(
    `select id, changed_at from audit_log
     where id >= $1 and changed_at > $2 and table_name <> 'plans' order by id limit 1`,
    [first.id, entries.map(({ changed_at: at }) => at).reduce((last, at) => (at > last ? at : last))],
  );
  if (since[0] !== undefined)
    throw new CliError(
      `Keys were changed in this database after the restore: entry ${since[0].id} of the audit log, ${since[0].changed_at}.`,
      'Restore again, and run this before any other change.',
    );
  const { rows: before } = await client.query<Present>(
    'select id, changed_at from audit_log where id < $1 order by id desc limit 1',
    [first.id],
  );
  return { missing, gaps: gapsIn(missing, before[0] ?? { id: 0n, changed_at: 'the first change' }) };
}

async function apply(
  client: Client,
  { keys, secrets }: RestoredChanges,
  missing: readonly AuditEntry[],
  idsAfter: bigint | undefined,
): Promise<Row & { readonly failed: readonly string[] }> {
  await rejectReplicas(client);
  // The ids of the other tables that were used are not known: --ids-after is greater.
  const used: Readonly<Record<string, bigint>> = {
    api_keys: largest(missing.map(({ api_key_id: id }) => id)),
    audit_log: largest(missing.map(({ id }) => id)),
  };
  const { rows: tables } = await client.query<{ name: string }>('select table_name as name from drawn_ids()');
  for (const { name } of tables) {
    const id = used[name] ?? idsAfter;
    if (id !== undefined) await moveIds(client, name, id);
  }
  // So that the log is whole again, and neither a second run nor a later restore repeats what is done here.
  await client.query(
    `insert into audit_log overriding system value
     select * from jsonb_populate_recordset(null::audit_log, $1::jsonb)
     on conflict (id) do nothing`,
    [stringify(missing)],
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
  return { failed };
}

const largest = (ids: readonly (bigint | null)[]): bigint =>
  ids.reduce<bigint>((max, id) => (id !== null && id > max ? id : max), 0n);

/** Moves the sequence of a table past an id; never back. */
const moveIds = (client: Client, table: string, id: bigint): Promise<Row> =>
  queryOne(
    client,
    `select setval(used, greatest(nextval(used), $2)) from (select pg_get_serial_sequence(quote_ident($1), 'id')::regclass) as t (used)`,
    [table, id],
  );

const question = ({ keys, secrets }: RestoredChanges): string =>
  `This changes ${keys.length} keys and ${secrets.length} secrets, and moves the ids.`;

interface Found extends RestoredChanges {
  readonly faults: readonly string[];
  readonly gaps: readonly string[];
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
