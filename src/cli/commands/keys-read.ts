import { type Command, Option } from 'commander';
import type { Client } from 'pg';
import { USAGE_DAYS } from '../../usage/hour-counts.js';
import { shown } from '../../monitoring/text.js';
import { dayCount, examples, type JsonOption, positiveInteger } from '../arguments.js';
import type { Row } from '../../database/statement.js';
import { CliError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { addKeyCommand, findKeyId, type KeyOverview, type KeyReference, overviewOf } from '../key-command.js';
import {
  column,
  numberColumn,
  printAll,
  printRows,
  textColumn,
  toFacts,
  toJson,
  toJsonArray,
} from '../output.js';
import { streamRows, withDatabase } from '../session.js';

interface ListOptions extends JsonOption {
  readonly plan?: string;
  readonly customer?: string;
  readonly state?: string;
  readonly name?: string;
  readonly limit?: number;
}

const STATES = ['live', 'suspended', 'banned', 'expired', 'revoked', 'unissued'];

/** Without `--limit`, people get at most so many rows; scripts get all. */
const SHOWN_MAX = 100;

export function addKeyReadCommands(keys: Command, context: CliContext): void {
  keys
    .command('list')
    .description('Lists keys with their plan, state and use (the view api_key_overview).')
    .option('--plan <plan>', 'only keys of this plan')
    .option('--customer <customer>', 'only keys of this customer')
    .addOption(new Option('--state <state>', 'only keys in this state').choices(STATES))
    .option('--name <part>', 'only keys with this text in their name')
    .option('--limit <keys>', `at most this many (default ${SHOWN_MAX}; with --json, all)`, positiveInteger)
    .option('--json', 'print an array of objects')
    .action((options: ListOptions) =>
      withDatabase(context, ({ client }) => printKeys(context, client, options)),
    )
    .addHelpText(
      'after',
      examples('petstore keys list --plan pro --state banned', 'petstore keys list --customer crm-4711'),
    );

  addKeyCommand(keys, 'show', 'Shows the limits, state, use and secrets of a key.')
    .action(async (reference: KeyReference, { json }: JsonOption) => {
      const { key, secrets, outcomes } = await withDatabase(context, async ({ client }) => {
        const found = await overviewOf(client, await findKeyId(client, reference));
        const { rows } = await client.query<Row>(
          'select prefix, created_at, expires_at from api_key_secrets where api_key_id = $1 order by created_at',
          [found.id],
        );
        const { rows: counts } = await client.query<Row>(LAST_24_HOURS, [found.id]);
        return { key: found, secrets: rows, outcomes: counts };
      });
      if (json === true) {
        const outcomes_24h = Object.fromEntries(outcomes.map((row) => [row['outcome'], row['requests']]));
        return context.print(toJson({ ...key, outcomes_24h, secret_list: secrets }));
      }
      const outcomes_24h = outcomes
        .map((row) => `${shown(row['outcome'])} ${shown(row['requests'])}`)
        .join(', ');
      context.print(`${toFacts({ ...key, outcomes_24h: outcomes_24h || null })}\n`);
      printRows(context, ['prefix', 'created_at', 'expires_at'].map(column), secrets, 'It has no secrets.');
    })
    .addHelpText('after', examples('petstore keys show psk_8QvR2mXa'));

  addKeyCommand(
    keys,
    'usage',
    'Shows the requests of a key by UTC day, today last. Days without requests are left out.',
  )
    .addOption(
      new Option('--days <days>', 'number of days, including today').argParser(dayCount).default(USAGE_DAYS),
    )
    .action(async (reference: KeyReference, { days, json }: JsonOption & { readonly days: number }) => {
      const { rows } = await withDatabase(context, async ({ client }) => {
        const { id } = await overviewOf(client, await findKeyId(client, reference));
        return await client.query<Row>(
          `select day, admitted, refused
           from api_key_daily_usage
           where api_key_id = $1 and day > today() - $2::int
           order by day`,
          [id, days],
        );
      });
      if (json === true) return context.print(toJson(rows));
      const columns = [column('day'), numberColumn('admitted'), numberColumn('rejected')];
      const lines = rows.map(({ refused, ...row }) => Object.assign(row, { rejected: refused }));
      printRows(context, columns, lines, `No requests in the last ${days} days.`);
    })
    .addHelpText('after', examples('petstore keys usage 7 --days 7'));
}

/** What became of the requests of a key, with the present hour. */
const LAST_24_HOURS = `
  select outcome, saturated(sum(requests)) as requests
  from last_24_hours
  join api_key_usage_hours using (hour)
  where api_key_id = $1
  group by outcome
  order by requests desc, outcome`;

const LIST_COLUMNS = [
  numberColumn('id'),
  textColumn('name'),
  column('prefix'),
  column('plan'),
  column('state'),
  numberColumn('minute'),
  numberColumn('day'),
  numberColumn('rejected'),
  column('last used'),
];

const toListRow = (key: KeyOverview): Row => ({
  ...key,
  plan: key['plan_id'],
  minute: `${shown(key['minute_admitted'])}/${shown(key['requests_per_minute'])}`,
  day: `${shown(key['day_admitted'])}/${shown(key['requests_per_day'])}`,
  rejected: key['day_refused'],
  'last used': key['last_used_at'],
});

/** @throws CliError, rather than a list that is empty by a typing error */
async function requirePlan(client: Client, plan: string): Promise<void> {
  const { rowCount } = await client.query('select from plans where id = $1', [plan]);
  if (rowCount === 0)
    throw new CliError(`There is no plan "${plan}".`, 'To see the plans: petstore plans list');
}

async function printKeys(
  context: CliContext,
  client: Client,
  { json, plan, customer, state, name, limit }: ListOptions,
): Promise<void> {
  if (plan !== undefined) await requirePlan(client, plan);
  const filters = [plan, state, name, customer];
  if (json === true)
    return await printAll(context, toJsonArray(streamRows(client, LIST, [...filters, limit])));
  const shownMax = limit ?? SHOWN_MAX;
  // One more than is shown says whether there are more.
  const { rows } = await client.query<KeyOverview>(LIST, [...filters, shownMax + 1]);
  const columns = rows.some((key) => key['customer'] !== null)
    ? LIST_COLUMNS.toSpliced(2, 0, textColumn('customer'))
    : LIST_COLUMNS;
  printRows(context, columns, rows.slice(0, shownMax).map(toListRow), 'No keys found.');
  if (rows.length > shownMax) {
    context.print(
      `Only the first ${shownMax} keys are shown. Filter with --name, --customer, --plan or --state, or raise --limit.\n`,
    );
  }
}

const LIST = `
  select *
  from api_key_overview
  where ($1::text is null or plan_id = $1)
    and ($2::text is null or state = $2)
    and ($3::text is null or strpos(lower(name), lower($3)) > 0)
    and ($4::text is null or customer = $4)
  order by id
  limit $5`;
