import type { Command } from 'commander';
import { examples, type JsonOption, positiveInteger } from '../arguments.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { right, type Row, toFacts, toJson, toRowTable } from '../output.js';
import { changeOne, withDatabase } from '../session.js';

interface SetOptions extends JsonOption {
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly custom?: boolean;
}

const NUMBERS = ['requests_per_minute', 'requests_per_day', 'keys', 'live_keys'];

export function addPlansCommands(program: Command, context: CliContext): void {
  const plans = program
    .command('plans')
    .description('Plans: a change holds for the next request of each of their keys, on every replica.');
  plans
    .command('list')
    .description('Every plan with its limits and its number of keys.')
    .option('--json', 'print an array')
    .action(async ({ json }: JsonOption) => {
      const { rows } = await withDatabase(context, ({ client }) =>
        client.query<Row>('select * from plan_overview order by requests_per_minute nulls last, id'),
      );
      context.print(json === true ? toJson(rows) : toRowTable(['id', 'custom', ...NUMBERS.map(right)], rows));
    })
    .addHelpText('after', examples('petstore plans list'));

  plans
    .command('set')
    .description('Makes a plan, or changes of one what is given.')
    .argument('<id>', 'such as pro, or a name of your own in lower case')
    .option('--per-minute <requests>', 'requests of a key in a UTC minute', positiveInteger)
    .option('--per-day <requests>', 'requests of a key in a UTC day', positiveInteger)
    .option('--custom', 'the plan has no numbers: each of its keys carries both')
    .option('--no-custom', 'the plan has numbers')
    .option('--json', 'print one object')
    .action(async (id: string, { perMinute, perDay, custom, json }: SetOptions) => {
      if (perMinute === undefined && perDay === undefined && custom === undefined) {
        throw new UsageError('Give --per-minute, --per-day, --custom or --no-custom.');
      }
      const plan = await changeOne(
        context,
        'select * from set_plan(id => $1, per_minute => $2, per_day => $3, custom => $4)',
        [id, perMinute, perDay, custom],
      );
      context.print(json === true ? toJson(plan) : toFacts(plan));
    })
    .addHelpText(
      'after',
      examples(
        'petstore plans set free --per-minute 120',
        'petstore plans set startup --per-minute 600 --per-day 50000',
      ),
    );
}
