import type { Command } from 'commander';
import { positiveInteger } from '../arguments.js';
import { changeOne } from '../change.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import { type Column, type Row, shown, toFacts, toJson, toTable } from '../output.js';
import { withDatabase } from '../session.js';

interface SetOptions {
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly custom?: boolean;
  readonly json?: true;
}

export function addPlansCommands(program: Command, context: CliContext): void {
  const plans = program
    .command('plans')
    .description('Plans: a change holds for the next request of each of their keys, on every replica.');
  const list = plans
    .command('list')
    .description('Every plan with its limits and its number of keys.')
    .option('--json', 'print an array')
    .action(async ({ json }: { readonly json?: true }) => {
      const { rows } = await withDatabase(context, ({ client }) =>
        client.query<Row>('select * from plan_overview order by requests_per_minute nulls last, id'),
      );
      if (json === true) context.print(toJson(rows));
      else
        context.print(
          toTable(
            COLUMNS,
            rows.map((row) => COLUMNS.map(({ title }) => shown(row[title]))),
          ),
        );
    });
  addExamples(list, 'petstore plans list');

  const set = plans
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
      const plan = await withDatabase(context, ({ client }) =>
        changeOne<Row>(
          client,
          context,
          'select * from set_plan(id => $1, per_minute => $2, per_day => $3, custom => $4)',
          [id, perMinute ?? null, perDay ?? null, custom ?? null],
        ),
      );
      context.print(json === true ? toJson(plan) : toFacts(plan));
    });
  addExamples(
    set,
    'petstore plans set free --per-minute 120',
    'petstore plans set startup --per-minute 600 --per-day 50000',
  );
}

const COLUMNS: readonly Column[] = [
  { title: 'id' },
  { title: 'custom' },
  { title: 'requests_per_minute', align: 'right' },
  { title: 'requests_per_day', align: 'right' },
  { title: 'keys', align: 'right' },
  { title: 'live_keys', align: 'right' },
];
