import { Command, Help } from 'commander';
import { releaseVersion } from '../config/config.js';
import { EXIT_CODES, explainError } from './cli-error.js';
import { addCommands } from './command.js';
import { auditCommand } from './commands/audit.js';
import { DB_COMMANDS } from './commands/db.js';
import { doctorCommand } from './commands/doctor.js';
import { KEY_COMMANDS } from './commands/keys.js';
import { PLAN_COMMANDS } from './commands/plans.js';
import { USAGE_COMMANDS } from './commands/usage.js';
import type { CliContext } from './context.js';

/** Runs one command line, without the program's name, and returns its exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<number> {
  try {
    await createProgram(context).parseAsync(wordsOf(args), { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    const { text, exitCode } = explainError(error);
    if (text !== '') context.printError(text);
    return exitCode;
  }
}

/** Arguments after `db psql` go to psql, even options that this program has. */
function wordsOf(args: readonly string[]): string[] {
  const at = args.findIndex((word, index) => word === 'psql' && args[index - 1] === 'db') + 1;
  return at === 0 || args[at] === '--help' || args[at] === '--'
    ? [...args]
    : [...args.slice(0, at), '--', ...args.slice(at)];
}

const APPLIES = 'A change applies to the next request on every replica.';

function createProgram(baseContext: CliContext): Command {
  const program = new Command('petstore')
    .option('--actor <name>', 'who makes the change (default: PETSTORE_ACTOR, or the user)')
    .description(
      'Manages the keys, plans and database of the Pet Store Service, at DATABASE_URL\n' +
        'or in the embedded PostgreSQL in DATA_DIR (./.petstore).\n' +
        'Exit codes: 0 success, 1 failure, 2 wrong usage.',
    )
    .configureHelp({
      subcommandTerm: (command) =>
        command.parent?.parent === null ? command.name() : new Help().subcommandTerm(command),
    })
    .addHelpText(
      'after',
      "\nExamples:\n  petstore keys issue --name 'Acme web' --plan pro\n  petstore usage top",
    )
    .version(releaseVersion())
    // Commands inherit these settings, so they come first.
    .exitOverride()
    .showHelpAfterError('Add --help for usage.')
    .configureOutput({ writeOut: baseContext.print, writeErr: baseContext.printError });
  const context: CliContext = {
    ...baseContext,
    get actor() {
      return program.opts<{ readonly actor?: string }>().actor ?? baseContext.actor;
    },
  };
  const group = (name: string, summary: string, says = ''): Command =>
    program.command(name).summary(summary).description(`${summary} ${says}`.trim());
  addCommands(group('keys', 'Issue, list, change and revoke API keys.', APPLIES), context, KEY_COMMANDS);
  addCommands(group('plans', 'List, create and change plans.', APPLIES), context, PLAN_COMMANDS);
  const outcomes =
    'Outcomes of admitted requests are success, client_error (4xx) and server_error (5xx); ' +
    'those of rejected ones limited, banned, suspended, unauthorized (revoked or expired) and undecided (503: no database).';
  addCommands(group('usage', 'Show what keys have used, by hour (UTC).', outcomes), context, USAGE_COMMANDS);
  addCommands(program, context, [auditCommand]);
  addCommands(group('db', 'Migrate, restore or open the database, and grant roles.'), context, DB_COMMANDS);
  addCommands(program, context, [doctorCommand]);
  return program;
}
