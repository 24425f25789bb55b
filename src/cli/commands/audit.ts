import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import type { Row } from '../../database/statement.js';
import { type AuditedRow, describeActor, describeChange, shown } from '../../monitoring/text.js';
import { exportAudit } from '../audit-export.js';
import { CliError } from '../cli-error.js';
import { bind, type CommandSpec, findKeyId, type Values } from '../command.js';
import type { CliContext } from '../context.js';
import { first, mapped, printAll, some, toJson, toJsonArray, toJsonLine, wrapped } from '../output.js';
import { toKeyReference } from '../placeholders.js';
import { streamRows, withDatabase } from '../session.js';

const SHOWN = 100;

export const auditCommand: CommandSpec = {
  usage: 'audit [key-or-plan]',
  says: 'Shows who changed keys, secrets and plans, newest first (the table audit_log).',
  configure: (command) => command.summary('Show who changed keys, secrets and plans.'),
  options: {
    '--since <time:time-or-ago>': 'such as 7d, or 2027-01-31T00:00:00Z',
    '--until <time:time-or-ago>': 'before then, same formats',
    '--by <name>': 'who logged in, or who was named by --actor or PETSTORE_ACTOR',
    '--each': 'an entry for each row, where a statement changed several in the same way',
    '--limit <rows>': `at most this many entries (default ${SHOWN}; with --json and --json-lines, all)`,
    '--json-lines': 'print one object per line, oldest first',
    '--export <file>':
      'append missing changes to a file, one object per line, ignoring the other options: for petstore db restored',
  },
  run: (context, values) =>
    withDatabase(context, async ({ client }) => {
      if (values['export'] === undefined) return await printChanges(context, client, values);
      const entries = await exportAudit(client, values['export'] as string);
      context.print(values.json === true ? toJson({ entries }) : `${entries} changes exported.\n`);
    }),
  examples: ['audit 7 --since 30d', 'audit pro', 'audit --export audit.jsonl'],
};

async function printChanges(context: CliContext, client: Client, given: Values): Promise<void> {
  const subject = given['keyOrPlan'] as string | undefined;
  const key = subject === undefined ? undefined : toKeyReference(subject);
  const values: Values = {
    ...given,
    key: key === undefined ? undefined : await findKeyId(client, key),
    plan: key === undefined ? subject : undefined,
  };
  if (values['plan'] !== undefined) {
    const { rowCount } = await client.query(bind(KNOWN_PLAN, values));
    if (rowCount === 0)
      throw new CliError(`There is no plan "${subject}".`, 'To find one: petstore plans list');
  }
  const read = (limit: number | undefined, isAscending = false): AsyncIterable<Row> => {
    const last = `${CHANGES} order by id desc${limit === undefined ? '' : ' limit :limit'}`;
    const text = isAscending ? `select * from (${last}) as last order by id` : last;
    return streamRows<Row>(client, bind(text, { ...values, limit }), limit !== undefined || isAscending);
  };
  if (given['jsonLines'] === true)
    return await printAll(context, mapped(read(given.limit, true), toJsonLine));
  if (given.json === true) return await printAll(context, toJsonArray(read(given.limit)));
  const atMost = given.limit ?? SHOWN;
  // A statement is one entry with all of its rows.
  const entries = given['each'] === true ? mapped(read(atMost), toChange) : grouped(read(undefined));
  let count = 0;
  const lines = mapped(first(entries, atMost), (change) => {
    count += 1;
    return toText(change, context.columns);
  });
  await printAll(context, lines);
  if (count === 0) context.print('No changes found.\n');
  if (count === atMost)
    context.print(wrapped('There may be older changes: raise --limit.', '', context.columns));
}

const CHANGES = `
  select *
  from audit_log
  where (:key::bigint is null or api_key_id = :key)
    and (:plan::text is null or plan_id = :plan)
    and (:since::timestamptz is null or changed_at >= :since)
    and (:until::timestamptz is null or changed_at < :until)
    and (:by::text is null or :by in (role, actor))`;

/** Includes deleted plans. */
const KNOWN_PLAN = `
  select from plans where id = :plan
  union all select from audit_log where plan_id = :plan limit 1`;

const WHAT: Readonly<Record<string, string>> = { api_keys: 'key', api_key_secrets: 'secret', plans: 'plan' };

/** One or more successive equal entries: those of one statement have the same time. */
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

/** One line, then one per member: nothing is cut, however narrow the terminal is. */
function toText({ at, by, action, kind, members, subjects }: Change, columns: number | undefined): string {
  return (
    wrapped(`${at}  ${action} ${some(kind, subjects)}, by ${by}`, '', columns) +
    members.map((one) => wrapped(one, '    ', columns)).join('')
  );
}
