import type { Command } from 'commander';
import { examples, type JsonOption, since } from '../arguments.js';
import type { Row } from '../../database/statement.js';
import type { CliContext } from '../context.js';
import { column, numberColumn, printAll, printRows, toJson, toJsonArray } from '../output.js';
import { streamRows, withDatabase } from '../session.js';
import { KEY, toLine } from '../usage-rows.js';

/** Adds the lists that a view has, and the callers of deprecated operations. */
export function addListCommands(usage: Command, context: CliContext): void {
  for (const list of LISTS) addList(usage, context, list);
  addCallersCommand(usage, context);
}

/** Lists that a view has. */
const LISTS = [
  {
    command: 'flooding',
    view: 'flooding_api_keys',
    description:
      'Lists the hundred keys with the most rejected requests of this hour and the one before, also during bans',
    empty: 'No request of a key was rejected, as far as it was written: replicas write every ten seconds.',
    columns: [
      ...['rejected', 'limited', 'banned'].map(numberColumn),
      ...['state', 'banned_until'].map(column),
    ],
  },
  {
    command: 'noisy',
    view: 'noisiest_api_keys',
    description: 'Lists the hundred keys with the most rejected requests today, without those during bans',
    empty: 'No request was rejected today.',
    columns: [...['rejected', 'admitted'].map(numberColumn), column('banned_until'), column('last_used_at')],
  },
  {
    command: 'unused',
    view: 'unused_api_keys',
    description: 'Lists the keys that were not used for 90 days',
    empty: 'No key has been unused for 90 days.',
    columns: ['last_used_at', 'created_at', 'expires_at'].map(column),
  },
  {
    command: 'expiring',
    view: `expiring_api_keys where expires_at < present() + interval '14 days'`,
    description: 'Lists the keys and secrets that expire in the next 14 days',
    empty: 'Nothing expires in the next 14 days.',
    columns: ['expires', 'prefix', 'expires_at'].map(column),
  },
];

/** Without `--json`, people get at most so many rows. */
const SHOWN_MAX = 100;

function addList(
  usage: Command,
  context: CliContext,
  { command, view, description, empty, columns }: (typeof LISTS)[number],
): void {
  usage
    .command(command)
    .option('--json', 'print an array of objects, all of them')
    .description(`${description} (the view ${view.split(' ', 1)[0]}).`)
    .action(({ json }: JsonOption) =>
      withDatabase(context, async ({ client }) => {
        const list = `select * from ${view}`;
        if (json === true) return await printAll(context, toJsonArray(streamRows(client, list)));
        const { rows } = await client.query<Row>(`${list} limit ${SHOWN_MAX + 1}`);
        const shownRows = rows.slice(0, SHOWN_MAX).map((row) =>
          toLine({
            api_key_id: row['id'],
            rejected: row['day_refused'],
            admitted: row['day_admitted'],
            ...row,
          }),
        );
        printRows(context, [...KEY, ...columns], shownRows, empty);
        if (rows.length > SHOWN_MAX)
          context.print(`Only the first ${SHOWN_MAX} are shown; --json has all.\n`);
      }),
    )
    .addHelpText('after', examples(`petstore usage ${command}`));
}

interface CallersOptions extends JsonOption {
  readonly since?: Date;
  readonly until?: Date;
}

function addCallersCommand(usage: Command, context: CliContext): void {
  usage
    .command('deprecated')
    .description(
      'Lists the keys that called a deprecated operation, with their admitted requests in the time, of the hours that are kept.',
    )
    .option('--since <time>', 'such as 30d, or 2027-01-01T00:00:00Z; all hours by default', since)
    .option('--until <time>', 'the end of the time; now by default', since)
    .option('--json', 'print an array of objects')
    .action(async ({ since: from, until, json }: CallersOptions) => {
      const span = [from?.toISOString() ?? '-infinity', until?.toISOString() ?? 'infinity'];
      const { rows } = await withDatabase(context, ({ client }) => client.query<Row>(CALLERS, span));
      if (json === true) return context.print(toJson(rows));
      const columns = [
        column('operation'),
        numberColumn('requests'),
        column('first_hour'),
        column('last_hour'),
      ];
      printRows(context, [...KEY, ...columns], rows.map(toLine), 'No key called a deprecated operation.');
    })
    .addHelpText(
      'after',
      examples(
        'petstore usage deprecated',
        'petstore usage deprecated --since 2027-01-01T00:00:00Z --until 2027-02-01T00:00:00Z',
      ),
    );
}

const CALLERS = `
  select
    operation, u.api_key_id, k.name, k.plan_id,
    saturated(sum(u.requests)) as requests, min(u.hour) as first_hour, max(u.hour) as last_hour
  from api_key_usage_hours u
  join deprecated_operations using (operation)
  left join api_keys k on k.id = u.api_key_id
  where u.hour >= $1
    and u.hour < least($2, trusted_until() + interval '1 hour')
    and is_admitted(u.outcome)
  group by operation, u.api_key_id, k.name, k.plan_id
  order by requests desc, u.api_key_id`;
