import { Command } from 'commander';
import { releaseVersion } from '../config/config.js';
import { EXIT_CODES, explainError } from './cli-error.js';
import { addAuditCommand } from './commands/audit.js';
import { addDbCommands } from './commands/db.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addKeysCommands } from './commands/keys.js';
import { addPlansCommands } from './commands/plans.js';
import { addUsageCommands } from './commands/usage.js';
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

/** What follows `db psql` is for psql, also options that this program has, too. */
function wordsOf(args: readonly string[]): string[] {
  const at = args.findIndex((word, index) => word === 'psql' && args[index - 1] === 'db') + 1;
  return at === 0 || args[at] === '--help' || args[at] === '--'
    ? [...args]
    : [...args.slice(0, at), '--', ...args.slice(at)];
}

function createProgram(surroundings: CliContext): Command {
  const program = new Command('petstore')
    .option(
      '--actor <name>',
      'who makes the change, for the audit log (default: PETSTORE_ACTOR, or the user of the system)',
    )
    .description(
      'Manages the keys, plans and database of the Pet Store Service.\n\n' +
        'It uses DATABASE_URL if that is set, else the embedded database of the service in DATA_DIR (./.petstore).\n' +
        'Exit codes: 0 success, 1 failure, 2 wrong usage.',
    )
    .version(releaseVersion())
    // Commands inherit these settings, so they come first.
    .exitOverride()
    .showHelpAfterError('Add --help for usage.')
    .configureOutput({ writeOut: surroundings.print, writeErr: surroundings.printError });
  const context: CliContext = {
    ...surroundings,
    get actor() {
      return program.opts<{ readonly actor?: string }>().actor ?? surroundings.actor;
    },
  };
  addKeysCommands(program, context);
  addPlansCommands(program, context);
  addUsageCommands(program, context);
  addAuditCommand(program, context);
  addDbCommands(program, context);
  addDoctorCommand(program, context);
  return program;
}
