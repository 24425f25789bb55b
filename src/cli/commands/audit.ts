import type { Command } from 'commander';
import type { Client } from 'pg';
import { examples, type JsonOption, positiveInteger, since } from '../arguments.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { findKeyId, toKeyReference } from '../key-command.js';
import { column, numberColumn, printRows, shown, textColumn, toJson, toJsonLine } from '../output.js';
import type { Row } from '../row.js';
import { withDatabase } from '../session.js';

interface AuditOptions extends JsonOption {
  readonly since?: Date;
  readonly limit?: number;
  readonly jsonLines?: true;
}

const SHOWN = 100;

export function addAuditCommand(program: Command, context: CliContext): void {
  program
    .command('audit')
    .description('Shows who changed keys, secrets and plans, the last change first (the table audit_log).')
    .argument('[key-or-plan]', 'id of a key, its first 12 characters (psk_…), or id of a plan')
    .option('--since <time>', 'such as 7d, or 2027-01-31T00:00:00Z', since)
    .option('--limit <changes>', `at most this many (${SHOWN}; with --json-lines: all)`, positiveInteger)
    .option('--json', 'print an array of objects')
    .option(
      '--json-lines',
      'print an object a line, the first change first: an export for petstore db restored',
    )
    .action(async (subject: string | undefined, { since: from, limit, json, jsonLines }: AuditOptions) => {
      const rows = await withDatabase(context, async ({ client }) => {
        const key = subject === undefined ? undefined : toKeyReference(subject);
        const keyId = key === undefined ? undefined : await findKeyId(client, key);
        const planId = key === undefined ? subject : undefined;
        const atMost = limit ?? (jsonLines === true ? undefined : SHOWN);
        const found = await client.query<Row>(CHANGES, [keyId, planId, from?.toISOString(), atMost]);
        if (found.rows.length === 0 && subject !== undefined) await rejectUnknown(client, keyId, planId);
        return found.rows;
      });
      if (jsonLines === true) return context.print(rows.toReversed().map(toJsonLine).join(''));
      if (json === true) return context.print(toJson(rows));
      printRows(context, COLUMNS, rows.map(toLine), 'No changes found.');
    })
    .addHelpText('after', examples('petstore audit 7 --since 30d', 'petstore audit pro'));
}

const CHANGES = `
  select *
  from audit_log
  where ($1::bigint is null or api_key_id = $1)
    and ($2::text is null or plan_id = $2)
    and ($3::timestamptz is null or changed_at >= $3)
  order by id desc
  limit $4`;

async function rejectUnknown(
  client: Client,
  keyId: bigint | undefined,
  planId: string | undefined,
): Promise<void> {
  const { rows } = await client.query(
    'select from api_keys where id = $1 union all select from plans where id = $2',
    [keyId, planId],
  );
  if (rows.length > 0) return;
  throw new CliError(
    keyId === undefined ? `There is no plan "${planId}".` : `There is no key ${keyId}.`,
    'To find one: petstore keys list, petstore plans list',
  );
}

const COLUMNS = [
  column('changed_at'),
  column('by'),
  column('action'),
  numberColumn('key'),
  column('plan'),
  textColumn('change'),
];

const WHAT: Readonly<Record<string, string>> = { api_keys: 'key', api_key_secrets: 'secret', plans: 'plan' };

const toLine = (entry: Row): Row => ({
  changed_at: entry['changed_at'],
  by: entry['actor'] ?? entry['role'],
  action: `${shown(entry['action'])} ${WHAT[shown(entry['table_name'])] ?? ''}`,
  key: entry['api_key_id'],
  plan: entry['plan_id'],
  change: describe(entry['old'], entry['new']),
});

/** `requests_per_minute: 300 → 600`, or the values of what was made or deleted. */
function describe(before: unknown, after: unknown): string {
  const old = (before ?? {}) as Row;
  const changed = (after ?? before ?? {}) as Row;
  return Object.entries(changed)
    .map(([name, value]) =>
      before !== null && after !== null && shown(old[name]) !== shown(value)
        ? `${name}: ${shown(old[name])} → ${shown(value)}`
        : `${name}: ${shown(value)}`,
    )
    .join(', ');
}
