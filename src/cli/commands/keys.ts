import type { Command } from 'commander';
import { CUSTOMER, examples, OWN_LIMIT, instant, type JsonOption, positiveInteger } from '../arguments.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { printRow } from '../output.js';
import { changeDatabase, queryOne } from '../session.js';
import { addFindCommand } from './keys-find.js';
import { addImportCommand } from './keys-import.js';
import { addKeyChangeCommands } from './keys-change.js';
import { addKeyReadCommands } from './keys-read.js';

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .description('Issue, list and change API keys. A change applies to the next request on every replica.');
  addIssueCommand(keys, context);
  addImportCommand(keys, context);
  addKeyReadCommands(keys, context);
  addFindCommand(keys, context);
  addKeyChangeCommands(keys, context);
  // What does not exist says what to do instead.
  keys
    .command('delete', { hidden: true })
    .aliases(['remove', 'rm'])
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new UsageError(
        'Keys cannot be deleted: their usage and the audit log stay.',
        'To revoke a key permanently: petstore keys revoke 7',
      );
    });
}

interface IssueOptions extends JsonOption {
  readonly name: string;
  readonly customer?: string;
  readonly plan: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: Date;
  readonly readOnly?: true;
}

const ISSUE = `
  select * from issue_customer_api_key(
    customer => $1, name => $2, plan => $3, per_minute => $4, per_day => $5, expires => $6, access => $7)`;

function addIssueCommand(keys: Command, context: CliContext): void {
  keys
    .command('issue')
    .description('Issues a key and prints it. The key is not stored, so it cannot be printed again.')
    .requiredOption('--name <name>', 'name of the customer or application')
    .option('--customer <customer>', CUSTOMER)
    .requiredOption('--plan <plan>', 'free, pro, business, enterprise or another plan')
    .option('--per-minute <requests>', OWN_LIMIT, positiveInteger)
    .option('--per-day <requests>', OWN_LIMIT, positiveInteger)
    .option('--expires <time>', 'when the key expires, such as 2027-01-31T00:00:00Z', instant)
    .option('--read-only', 'for a web page: the key may only read (GET and HEAD)')
    .option('--json', 'print an object')
    .action(async ({ name, customer, plan, perMinute, perDay, expires, readOnly, json }: IssueOptions) => {
      const access = readOnly === true ? 'read' : 'write';
      const terms = [plan, perMinute, perDay, expires?.toISOString(), access];
      const issued = await changeDatabase(context, (client) =>
        queryOne(client, ISSUE, [customer, name, ...terms]),
      );
      printRow(context, json, { ...issued, access, customer: customer ?? null });
    })
    .addHelpText(
      'after',
      examples(
        "petstore keys issue --name 'Acme web' --plan pro",
        "petstore keys issue --name 'Acme page' --customer crm-4711 --plan free --read-only",
        'KEY=$(petstore keys issue --name ci --plan free --json | jq -r .key)',
      ),
    );
}
