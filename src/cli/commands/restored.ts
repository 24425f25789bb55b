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
      'After a restore, before the service starts: applies what the audit log says about keys and secrets that were revoked, ' +
        'suspended, expired or made read-only since, adds its entries, and moves the ids past those that were used. Run it as the owner.',
    )
    .requiredOption('--audit <file>', 'the exported audit log (petstore audit --json-lines)')
    .option('--ids-after <id>', 'no new pet or order has an id up to this one', givenId)
    .option('--end-rotated', 'end old secrets as their rotations said, although the new secrets are lost')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print an object')
    .action(async ({ audit, idsAfter, endRotated, yes, json }: RestoredOptions) => {
      const entries = await readEntries(audit);
      const missing = await withDatabase(context, async ({ client }) => {
        await rejectReplicas(client);
        return await missingFrom(client, entries);
      });
      const changes = changesOf(missing, endRotated === true);
      const gapSince = entries.at(-1)?.changed_at ?? null;
      if (json !== true) context.print(report(changes, gapSince));
      if (yes !== true) await confirm(context, question(changes));
      await changeDatabase(context, (client) => apply(client, changes, missing, idsAfter));
      context.print(json === true ? toJson({ ...changes, gapSince }) : 'Done.\n');
    })
    .addHelpText('after', examples('petstore db restored --audit audit.jsonl --ids-after 2000000'));
}

/** Sorted by the order of the changes, each once: exports overlap. */
async function readEntries(file: string): Promise<readonly AuditEntry[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError(`Cannot read ${file}: ${describeFault(cause)}`);
  });
  const entries = new Map(readAudit(text).map((entry) => [`${entry.id} ${entry.changed_at}`, entry]));
  return [...entries.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

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

/** The entries that the database does not have. */
async function missingFrom(client: Client, entries: readonly AuditEntry[]): Promise<readonly AuditEntry[]> {
  const { rows } = await client.query<Pick<AuditEntry, 'id' | 'changed_at'>>(
    'select id, changed_at from audit_log where id = any ($1::bigint[])',
    [entries.map(({ id }) => String(id))],
  );
  const present = new Set(rows.map(({ id, changed_at: at }) => `${id} ${at}`));
  return entries.filter(({ id, changed_at: at }) => !present.has(`${id} ${at}`));
}

async function apply(
  client: Client,
  { keys, secrets }: RestoredChanges,
  missing: readonly AuditEntry[],
  idsAfter: bigint | undefined,
): Promise<Row> {
  await moveIds(client, 'api_keys', largest(missing.map(({ api_key_id: id }) => id)));
  await moveIds(client, 'audit_log', largest(missing.map(({ id }) => id)));
  if (idsAfter !== undefined) for (const table of ['pets', 'orders']) await moveIds(client, table, idsAfter);
  // So that the log is whole again, and neither a second run nor a later restore repeats what is done here.
  await client.query(
    `insert into audit_log overriding system value
     select * from jsonb_populate_recordset(null::audit_log, $1::jsonb)
     on conflict (id) do nothing`,
    [stringify(missing)],
  );
  for (const { id, values } of keys) {
    const columns = Object.keys(values);
    const set = columns.map((column, index) => `${column} = $${index + 2}`).join(', ');
    await client.query(`update api_keys set ${set} where id = $1`, [id, ...Object.values(values)]);
  }
  for (const { keyId, prefix, expiresAt } of secrets) {
    // A secret that has ended since cannot be prolonged.
    await client.query(
      `update api_key_secrets set expires_at = nullif($3, 'infinity')::timestamptz
       where api_key_id = $1 and prefix = $2
         and (expires_at is null or expires_at > least(clock_timestamp(), $3::timestamptz))`,
      [keyId, prefix, expiresAt],
    );
  }
  return {};
}

const largest = (ids: readonly (bigint | null)[]): bigint =>
  ids.reduce<bigint>((max, id) => (id !== null && id > max ? id : max), 0n);

/** Moves the sequence of a table past an id; never back. */
const moveIds = (client: Client, table: string, id: bigint): Promise<Row> =>
  queryOne(
    client,
    `select setval(used, greatest(nextval(used), $2)) from (select pg_get_serial_sequence($1, 'id')::regclass) as t (used)`,
    [table, id],
  );

const question = ({ keys, secrets }: RestoredChanges): string =>
  `This changes ${keys.length} keys and ${secrets.length} secrets, and moves the ids.`;

function report({ keys, secrets, lost, kept, others }: RestoredChanges, gapSince: string | null): string {
  return [
    part('Changes that this database lacks:', [
      ...keys.map(({ id, values }) => `key ${id}: ${describe(values)}`),
      ...secrets.map(
        ({ keyId, prefix, expiresAt }) => `secret ${prefix}… of key ${keyId}: expires_at: ${expiresAt}`,
      ),
    ]),
    part('Lost, to be issued again:', lost),
    part('Valid again, because their successors are lost (--end-rotated ends them):', kept),
    part('Not applied, to be repeated where they matter:', others),
    `The export ends at ${gapSince ?? 'no change'}. What was revoked after that, before the failure, is valid again.\n`,
  ].join('');
}

const part = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
