import type { Command } from 'commander';
import { addDelete, examples, OWN_LIMIT, instant, type JsonOption, positiveInteger } from '../arguments.js';
import type { CliContext } from '../context.js';
import { printRow } from '../output.js';
import { changeOne } from '../session.js';
import { addKeyChangeCommands } from './keys-change.js';
import { addKeyReadCommands } from './keys-read.js';

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .description('Issue, list and change API keys. A change applies to the next request on every replica.');
  addIssueCommand(keys, context);
  addKeyReadCommands(keys, context);
  addKeyChangeCommands(keys, context);
  addDelete(
    keys,
    'Keys cannot be deleted: their usage and the audit stay.',
    'To end a key for good: petstore keys revoke 7',
  );
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
    .description('Issues a key and prints it. The key is not stored, so it cannot be printed again.')
    .requiredOption('--name <name>', 'name of the customer or application')
    .requiredOption('--plan <plan>', 'free, pro, business, enterprise or another plan')
    .option('--per-minute <requests>', OWN_LIMIT, positiveInteger)
    .option('--per-day <requests>', OWN_LIMIT, positiveInteger)
    .option('--expires <time>', 'when the key expires, such as 2027-01-31T00:00:00Z', instant)
    .option('--json', 'print an object')
    .action(async ({ name, plan, perMinute, perDay, expires, json }: IssueOptions) => {
      const issued = await changeOne(
        context,
        'select * from issue_api_key(name => $1, plan => $2, per_minute => $3, per_day => $4, expires => $5)',
        [name, plan, perMinute, perDay, expires?.toISOString()],
      );
      printRow(context, json, issued);
    })
    .addHelpText(
      'after',
      examples(
        "petstore keys issue --name 'Acme web' --plan pro",
        'KEY=$(petstore keys issue --name ci --plan free --json | jq -r .key)',
      ),
    );
}
