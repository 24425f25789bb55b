import type { Command } from 'commander';
import { examples, INSTEAD_OF_PLAN, instant, type JsonOption, positiveInteger } from '../arguments.js';
import type { CliContext } from '../context.js';
import { toFacts, toJson } from '../output.js';
import { changeOne } from '../session.js';
import { addKeyChangeCommands } from './keys-change.js';
import { addKeyReadCommands } from './keys-read.js';

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .description('API keys: what is done to one holds for the next request, on every replica.');
  addIssueCommand(keys, context);
  addKeyReadCommands(keys, context);
  addKeyChangeCommands(keys, context);
}

interface IssueOptions extends JsonOption {
  readonly name: string;
  readonly plan: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: Date;
}

function addIssueCommand(keys: Command, context: CliContext): void {
  keys
    .command('issue')
    .description('Makes a key and shows it: only now, for it is not stored.')
    .requiredOption('--name <name>', 'whose key it is')
    .requiredOption('--plan <plan>', 'free, pro, business, enterprise, or a plan of your own')
    .option('--per-minute <requests>', INSTEAD_OF_PLAN, positiveInteger)
    .option('--per-day <requests>', INSTEAD_OF_PLAN, positiveInteger)
    .option('--expires <time>', 'when the key ends, as 2027-01-31T00:00:00Z', instant)
    .option('--json', 'print one object')
    .action(async ({ name, plan, perMinute, perDay, expires, json }: IssueOptions) => {
      const issued = await changeOne(
        context,
        'select * from issue_api_key(name => $1, plan => $2, per_minute => $3, per_day => $4, expires => $5)',
        [name, plan, perMinute, perDay, expires?.toISOString()],
      );
      context.print(json === true ? toJson(issued) : toFacts(issued));
    })
    .addHelpText(
      'after',
      examples(
        "petstore keys issue --name 'Acme web' --plan pro",
        'petstore keys issue --name Acme --plan enterprise --per-minute 5000 --per-day 1000000',
        'KEY=$(petstore keys issue --name ci --plan free --json | jq -r .key)',
      ),
    );
}
