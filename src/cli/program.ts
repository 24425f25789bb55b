import { Command } from 'commander';
import { releaseVersion } from '../config/version.js';
import { EXIT_CODES, explainError } from './cli-error.js';
import { addDbCommands } from './commands/db.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addKeysCommands } from './commands/keys.js';
import { addPlansCommands } from './commands/plans.js';
import type { CliContext } from './context.js';

/** Runs one command line, without the program's name, and returns its exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<number> {
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    const { text, exitCode } = explainError(error);
    if (text !== '') context.printError(text);
    return exitCode;
  }
}

function createProgram(context: CliContext): Command {
  const program = new Command('petstore')
    .description(
      'Manages the keys, plans and database of the Pet Store Service.\n\n' +
        'It uses DATABASE_URL if that is set, else the embedded database of the service on DATA_DIR (./.petstore).\n' +
        'Exit codes: 0 success, 1 failure, 2 wrong usage.',
    )
    .version(releaseVersion())
    // Commands inherit these settings, so they come first.
    .exitOverride()
    .showHelpAfterError('Add --help for usage.')
    .configureOutput({ writeOut: context.print, writeErr: context.printError });
  addKeysCommands(program, context);
  addPlansCommands(program, context);
  addDbCommands(program, context);
  addDoctorCommand(program, context);
  return program;
}
