import { type Command, InvalidArgumentError } from 'commander';
import { type IssueKey, issueKey } from '../../auth/issue-key.js';
import { type CliContext, withDatabase } from '../context.js';
import { toFacts, toJson } from '../output.js';

interface IssueOptions extends IssueKey {
  readonly json?: true;
}

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('API keys and their limits.');
  keys
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
    .addHelpText('after', "\nExample:\n  petstore keys issue --name 'Acme web' --plan pro")
    .action(async ({ json, ...wanted }: IssueOptions) => {
      const issued = await withDatabase(context, ({ prisma }) => issueKey(prisma, wanted));
      context.print(json === true ? toJson(issued) : toFacts({ ...issued }));
    });
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 2_147_483_647) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 to 2147483647.');
}

function instant(text: string): Date {
  const value = new Date(text);
  // Without a zone the time would mean another instant on each machine.
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(value.getTime())) return value;
  throw new InvalidArgumentError('It must be a time with its zone, such as 2027-01-31T00:00:00Z.');
}
