import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { Client } from 'pg';
import { type AuditedRow, describeActor, describeChange, shown } from '../../monitoring/text.js';
import { examples, type JsonOption, positiveInteger, since } from '../arguments.js';
import { exportAudit } from '../audit-export.js';
import { CliError } from '../cli-error.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { findKeyId, toKeyReference } from '../key-command.js';
import { first, mapped, printAll, some, toJson, toJsonArray, toJsonLine, wrapped } from '../output.js';
import { streamRows, withDatabase } from '../session.js';

interface AuditOptions extends JsonOption {
  readonly since?: Date;
  readonly until?: Date;
  readonly by?: string;
  readonly each?: true;
  readonly limit?: number;
  readonly jsonLines?: true;
  readonly export?: string;
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
    .option(
      '--limit <changes>',
      `at most this many entries (${SHOWN}; with --json-lines: all)`,
      positiveInteger,
    )
    .option('--json', 'print an array of objects')
    .option('--json-lines', 'print an object a line, the first change first')
    .option(
      '--export <file>',
      'append to a file the changes that it lacks, an object a line, whatever the other options are: for petstore db restored',
    )
    .action((subject: string | undefined, options: AuditOptions) =>
      withDatabase(context, async ({ client }) => {
        if (options.export === undefined) return await printChanges(context, client, subject, options);
        const entries = await exportAudit(client, options.export);
        context.print(options.json === true ? toJson({ entries }) : `${entries} changes exported.\n`);
      }),
    )
    .addHelpText(
      'after',
      examples('petstore audit 7 --since 30d', 'petstore audit pro', 'petstore audit --export audit.jsonl'),
    );
}

async function printChanges(
  context: CliContext,
  client: Client,
  subject: string | undefined,
  { since: from, until, by, limit, each, json, jsonLines }: AuditOptions,
): Promise<void> {
  const key = subject === undefined ? undefined : toKeyReference(subject);
  const keyId = key === undefined ? undefined : await findKeyId(client, key);
  const planId = key === undefined ? subject : undefined;
  if (subject !== undefined) await rejectUnknown(client, keyId, planId);
  const values = [keyId, planId, from?.toISOString(), until?.toISOString(), by];
  const read = (atMost: number | undefined, isAscending = false): AsyncIterable<Row> =>
    streamRows<Row>(client, ...changes(values, atMost, isAscending), atMost !== undefined || isAscending);
  if (jsonLines === true) return await printAll(context, mapped(read(limit, true), toJsonLine));
  const atMost = limit ?? SHOWN;
  if (json === true) return await printAll(context, toJsonArray(read(atMost)));
  // A statement is one entry with all of its rows.
  const entries = each === true ? mapped(read(atMost), toChange) : grouped(read(undefined));
  let count = 0;
  const lines = mapped(first(entries, atMost), (change) => {
    count += 1;
    return toText(change, context.columns);
  });
  await printAll(context, lines);
  if (count === 0) context.print('No changes found.\n');
  if (count === atMost)
    context.print(wrapped('More may have changed before: raise --limit.', '', context.columns));
}

const CHANGES = `
  select *
  from audit_log
  where ($1::bigint is null or api_key_id = $1)
    and ($2::text is null or plan_id = $2)
    and ($3::timestamptz is null or changed_at >= $3)
    and ($4::timestamptz is null or changed_at < $4)
    and ($5::text is null or $5 in (role, actor))`;

/** The last ones, at most so many; the first one first only where they are to be. */
function changes(
  values: readonly unknown[],
  atMost: number | undefined,
  isAscending: boolean,
): readonly [text: string, values: readonly unknown[]] {
  if (atMost === undefined) return [`${CHANGES} order by id${isAscending ? '' : ' desc'}`, values];
  const last = `${CHANGES} order by id desc limit $6`;
  return [isAscending ? `select * from (${last}) as last order by id` : last, [...values, atMost]];
}

async function rejectUnknown(
  client: Client,
  keyId: bigint | undefined,
  planId: string | undefined,
): Promise<void> {
  const { rows } = await client.query(
    `select from api_keys where id = $1 union all select from plans where id = $2
     -- A plan that was deleted.
     union all select from audit_log where plan_id = $2 limit 1`,
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
  readonly instant: unknown;
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
    instant: at,
    action: shown(action),
    kind: WHAT[shown(table)] ?? shown(table),
    members: describeChange(entry['old'] as AuditedRow, entry['new'] as AuditedRow),
    subjects: [shown(key ?? plan)],
  };
}

async function* grouped(rows: AsyncIterable<Row>): AsyncGenerator<Change> {
  let last: Change | undefined;
  for await (const row of rows) {
    const change = toChange(row);
    if (last !== undefined && isDeepStrictEqual({ ...last, subjects: [] }, { ...change, subjects: [] })) {
      last.subjects.push(...change.subjects);
      continue;
    }
    if (last !== undefined) yield last;
    last = change;
  }
  if (last !== undefined) yield last;
}

/** A line, and one for each member below it: nothing is left out, however narrow the terminal is. */
function toText({ at, by, action, kind, members, subjects }: Change, columns: number | undefined): string {
  return (
    wrapped(`${at}  ${action} ${some(kind, subjects)}, by ${by}`, '', columns) +
    members.map((one) => wrapped(one, '    ', columns)).join('')
  );
}
