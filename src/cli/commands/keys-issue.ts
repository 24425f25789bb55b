import type { Command } from 'commander';
import { instant, positiveInteger } from '../arguments.js';
import { changeOne } from '../change.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import { type Row, toFacts, toJson } from '../output.js';
import { withDatabase } from '../session.js';

interface IssueOptions {
  readonly name: string;
  readonly plan: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: Date;
  readonly json?: true;
}

export function addKeysIssueCommand(keys: Command, context: CliContext): void {
  const issue = keys
    .command('issue')
    .description('Makes a key and shows it: only now, for it is not stored.')
    .requiredOption('--name <name>', 'whose key it is')
    .requiredOption('--plan <plan>', 'free, pro, business, enterprise, or a plan of your own')
    .option(
      '--per-minute <requests>',
      "instead of the plan's number; required on a custom plan",
      positiveInteger,
    )
    .option(
      '--per-day <requests>',
      "instead of the plan's number; required on a custom plan",
      positiveInteger,
    )
    .option('--expires <time>', 'when the key ends, as 2027-01-31T00:00:00Z', instant)
    .option('--json', 'print one object')
    .action(async ({ name, plan, perMinute, perDay, expires, json }: IssueOptions) => {
      const issued = await withDatabase(context, ({ client }) =>
        changeOne<Row>(
          client,
          context,
          'select * from issue_api_key(name => $1, plan => $2, per_minute => $3, per_day => $4, expires => $5)',
          [name, plan, perMinute ?? null, perDay ?? null, expires?.toISOString() ?? null],
        ),
      );
      context.print(json === true ? toJson(issued) : toFacts(issued));
    });
  addExamples(
    issue,
    "petstore keys issue --name 'Acme web' --plan pro",
    'petstore keys issue --name Acme --plan enterprise --per-minute 5000 --per-day 1000000',
    'KEY=$(petstore keys issue --name ci --plan free --json | jq -r .key)',
  );
}
