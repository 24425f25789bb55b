import type { Command } from 'commander';
import { examples, type JsonOption, positiveInteger } from '../arguments.js';
import { UsageError } from '../cli-error.js';
import type { Row } from '../../database/statement.js';
import { type CliContext, confirm } from '../context.js';
import { column, numberColumn, printRow, printRows, textColumn, toJson } from '../output.js';
import { changeOne, queryOne, withDatabase } from '../session.js';

interface PlanOptions extends JsonOption {
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly custom?: boolean;
  readonly yes?: true;
  readonly dryRun?: true;
}

/** A change of more keys asks first. */
const KEYS_WITHOUT_QUESTION = 10;

const COLUMNS = [
  column('id'),
  column('custom'),
  numberColumn('requests_per_minute'),
  numberColumn('requests_per_day'),
  numberColumn('keys'),
  numberColumn('live_keys'),
];

export function addPlansCommands(program: Command, context: CliContext): void {
  const plans = program
    .command('plans')
    .description('List, create and change plans. A change applies to the next request on every replica.');

  plans
    .command('list')
    .description('Lists the plans with their limits and the number of their keys.')
    .option('--json', 'print an array of objects')
    .action(async ({ json }: JsonOption) => {
      const { rows } = await withDatabase(context, ({ client }) =>
        client.query<Row>('select * from plan_overview order by requests_per_minute nulls last, id'),
      );
      if (json === true) return context.print(toJson(rows));
      printRows(context, COLUMNS, rows, 'No plans found.');
    })
    .addHelpText('after', examples('petstore plans list'));

  addPlanCommand(plans, context, 'create', 'create_plan')
    .description('Creates a plan.')
    .addHelpText('after', examples('petstore plans create startup --per-minute 600 --per-day 50000'));

  addPlanCommand(plans, context, 'set', 'set_plan')
    .description('Changes a plan. Options that you omit stay unchanged.')
    .option('--no-custom', 'the plan has limits of its own')
    .option('--dry-run', 'change nothing, and list the keys that lower limits would have hurt')
    .option('--yes', `do not ask for confirmation where the plan has more than ${KEYS_WITHOUT_QUESTION} keys`)
    .addHelpText(
      'after',
      examples(
        'petstore plans set free --per-minute 120',
        'petstore plans set free --per-minute 30 --dry-run',
      ),
    );

  plans
    .command('rename')
    .argument('<plan>', 'id of the plan')
    .argument('<new-id>', 'lower-case letters, digits, - and _')
    .description('Gives a plan another id, which all of its keys get. Its limits stay.')
    .option('--json', 'print an object')
    .action(async (id: string, newId: string, { json }: JsonOption) =>
      printRow(context, json, await changeOne(context, 'select * from rename_plan($1, $2)', [id, newId])),
    )
    .addHelpText('after', examples('petstore plans rename startup growth'));

  plans
    .command('delete')
    .aliases(['remove', 'rm'])
    .argument('<plan>', 'id of the plan')
    .description('Deletes a plan that has no keys, also no revoked ones.')
    .option('--json', 'print an object')
    .action(async (id: string, { json }: JsonOption) =>
      printRow(context, json, await changeOne(context, 'select * from delete_plan($1)', [id])),
    )
    .addHelpText('after', examples('petstore plans delete startup'));
}

/** Adds a command that calls a function of the operators' SQL interface. */
const addPlanCommand = (plans: Command, context: CliContext, name: string, sqlFunction: string): Command =>
  plans
    .command(name)
    .argument('<plan>', 'id of the plan: lower-case letters, digits, - and _')
    .option('--per-minute <requests>', 'limit of each key per UTC minute', positiveInteger)
    .option('--per-day <requests>', 'limit of each key per UTC day', positiveInteger)
    .option('--custom', 'the plan has no limits: each of its keys must have its own')
    .option('--json', 'print an object')
    .action(async (id: string, options: PlanOptions) => {
      const { perMinute, perDay, custom, yes, json } = options;
      if (perMinute === undefined && perDay === undefined && custom === undefined) {
        throw new UsageError('Pass --per-minute, --per-day, --custom or, with set, --no-custom.');
      }
      if (options.dryRun === true) {
        if (perMinute === undefined && perDay === undefined)
          throw new UsageError('With --dry-run, pass --per-minute, --per-day or both.');
        return await preview(context, id, options);
      }
      if (name === 'set' && yes !== true) await confirmPlan(context, id);
      const plan = await changeOne(
        context,
        `select * from ${sqlFunction}(id => $1, per_minute => $2, per_day => $3, custom => $4)`,
        [id, perMinute, perDay, custom],
      );
      printRow(context, json, plan);
    });

async function confirmPlan(context: CliContext, id: string): Promise<void> {
  const { keys } = await withDatabase(context, ({ client }) =>
    queryOne<{ keys: bigint }>(
      client,
      'select coalesce(sum(live_keys), 0)::bigint as keys from plan_overview where id = $1',
      [id],
    ),
  );
  if (keys > KEYS_WITHOUT_QUESTION) await confirm(context, `This changes the limits of ${keys} keys.`);
}

const PREVIEW = 'select * from plan_change_preview(plan => $1, per_minute => $2, per_day => $3)';

const PREVIEW_COLUMNS = [
  ...[numberColumn('key'), textColumn('name'), column('own_limits')],
  ...['hours_over', 'highest_minute', 'days_over', 'highest_day'].map(numberColumn),
];

const ownLimitsOf = (row: Row): readonly string[] =>
  ['minute', 'day'].filter((window) => row[`own_${window}_limit`] === true);

async function preview(
  context: CliContext,
  id: string,
  { perMinute, perDay, json }: PlanOptions,
): Promise<void> {
  const { rows } = await withDatabase(context, ({ client }) =>
    client.query<Row>(PREVIEW, [id, perMinute, perDay]),
  );
  if (json === true) return context.print(toJson(rows));
  const lines = rows.map((row) =>
    Object.assign(row, { key: row['api_key_id'], own_limits: ownLimitsOf(row).join(', ') || null }),
  );
  printRows(context, PREVIEW_COLUMNS, lines, 'No key of the plan used more than these limits.');
  context.print(
    'Of the last 35 days, as far as they are known: neither the last ten seconds, nor what a key would have used while it was banned. Limits of its own stay.\n',
  );
}
