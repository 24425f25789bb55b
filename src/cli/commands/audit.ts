import type { Command } from 'commander';
import type { Client } from 'pg';
import { type AuditedRow, describeActor, describeChange } from '../../common/audit-entry.js';
import { shown } from '../../common/shown.js';
import { examples, type JsonOption, positiveInteger, since } from '../arguments.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { findKeyId, toKeyReference } from '../key-command.js';
import { toJson, toJsonLine, wrapped } from '../output.js';
import type { Row } from '../row.js';
import { withDatabase } from '../session.js';

interface AuditOptions extends JsonOption {
  readonly since?: Date;
  readonly until?: Date;
  readonly by?: string;
  readonly each?: true;
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
    .option('--until <time>', 'before then, in the same forms', since)
    .option('--by <name>', 'who logged in, or who was named by --actor or PETSTORE_ACTOR')
    .option('--each', 'an entry for each row, where a statement changed several in the same way')
    .option('--limit <changes>', `at most this many (${SHOWN}; with --json-lines: all)`, positiveInteger)
    .option('--json', 'print an array of objects')
    .option(
      '--json-lines',
      'print an object a line, the first change first: an export for petstore db restored',
    )
    .action(async (subject: string | undefined, options: AuditOptions) => {
      const { since: from, until, by, limit, each, json, jsonLines } = options;
      const rows = await withDatabase(context, async ({ client }) => {
        const key = subject === undefined ? undefined : toKeyReference(subject);
        const keyId = key === undefined ? undefined : await findKeyId(client, key);
        const planId = key === undefined ? subject : undefined;
        const atMost = limit ?? (jsonLines === true ? undefined : SHOWN);
        const found = await client.query<Row>(CHANGES, [
          ...[keyId, planId, from?.toISOString(), atMost],
          ...[until?.toISOString(), by],
        ]);
        if (found.rows.length === 0 && subject !== undefined) await rejectUnknown(client, keyId, planId);
        return found.rows;
      });
      if (jsonLines === true) return context.print(rows.toReversed().map(toJsonLine).join(''));
      if (json === true) return context.print(toJson(rows));
      const changes = each === true ? rows.map((row) => toChange(row)) : grouped(rows);
      context.print(changes.map((one) => toText(one, context.columns)).join('') || 'No changes found.\n');
      if (rows.length === (limit ?? SHOWN))
        context.print(wrapped('More may have changed before: raise --limit.', '', context.columns));
    })
    .addHelpText('after', examples('petstore audit 7 --since 30d', 'petstore audit pro'));
}

const CHANGES = `
  select *
  from audit_log
  where ($1::bigint is null or api_key_id = $1)
    and ($2::text is null or plan_id = $2)
    and ($3::timestamptz is null or changed_at >= $3)
    and ($5::timestamptz is null or changed_at < $5)
    and ($6::text is null or $6 in (role, actor))
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

const WHAT: Readonly<Record<string, string>> = { api_keys: 'key', api_key_secrets: 'secret', plans: 'plan' };

/** What an entry says, and how many successive ones say the same: those of one statement have one time. */
interface Change {
  readonly by: string;
  readonly at: string;
  readonly action: string;
  /** `key`, `secret` or `plan`. */
  readonly kind: string;
  readonly members: readonly string[];
  readonly subjects: string[];
}

function toChange(entry: Row): Change {
  const { role, actor, changed_at: at, action, table_name: table, api_key_id: key, plan_id: plan } = entry;
  return {
    by: describeActor(role, actor),
    at: shown(at),
    action: shown(action),
    kind: WHAT[shown(table)] ?? shown(table),
    members: describeChange(entry['old'] as AuditedRow, entry['new'] as AuditedRow),
    subjects: [shown(key ?? plan)],
  };
}

function grouped(rows: readonly Row[]): readonly Change[] {
  const groups: Change[] = [];
  let last = '';
  for (const row of rows) {
    const { subjects, ...change } = toChange(row);
    const same = JSON.stringify([change, row['changed_at']]);
    if (same === last) groups.at(-1)?.subjects.push(...subjects);
    else groups.push({ ...change, subjects });
    last = same;
  }
  return groups;
}

/** The subjects that are named of a change of many. */
const NAMED = 5;

/** A line, and one for each member below it: nothing is left out, however narrow the terminal is. */
function toText({ at, by, action, kind, members, subjects }: Change, columns: number | undefined): string {
  const { length } = subjects;
  const named = `${subjects.slice(0, NAMED).join(', ')}${length > NAMED ? ', …' : ''}`;
  const what = length === 1 ? `${kind} ${named}` : `${length} ${kind}s (${named})`;
  return (
    wrapped(`${at}  ${action} ${what}, by ${by}`, '', columns) +
    members.map((one) => wrapped(one, '    ', columns)).join('')
  );
}
