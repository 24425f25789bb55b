import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { EXIT_CODES, explainError } from './cli-error.js';
import { addCompletionCommand } from './commands/completion.js';
import { addDbCommands } from './commands/db.js';
import { addDoctorCommand } from './commands/doctor.js';
import { addKeysCommands } from './commands/keys.js';
import { addPetsCommands } from './commands/pets.js';
import { addPlansCommands } from './commands/plans.js';
import { addSqlCommand } from './commands/sql.js';
import type { CliContext } from './context.js';

/** Runs one command line, without the program's name, and returns its exit code: 0 done, 1 not done, 2 wrong usage. */
export async function runCommandLine(context: CliContext, args: readonly string[]): Promise<number> {
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' });
    return EXIT_CODES.ok;
  } catch (error) {
    const { text, exitCode } = explainError(error);
    if (text !== '') context.complain(text);
    return exitCode;
  }
}

function createProgram(context: CliContext): Command {
  const program = new Command('petstore')
    .description(
      "Manages the Pet Store Service's database: DATABASE_URL, or the embedded one in DATA_DIR.\n" +
        'Exit codes: 0 done, 1 not done, 2 wrong command line.',
    )
    .version(version())
    // Commands inherit these settings, so they come first.
    .exitOverride()
    .showHelpAfterError('Add --help to see how it is used.')
    .configureOutput({ writeOut: context.print, writeErr: context.complain });
  addKeysCommands(program, context);
  addPlansCommands(program, context);
  addPetsCommands(program, context);
  addSqlCommand(program, context);
  addDbCommands(program, context);
  addDoctorCommand(program, context);
  addCompletionCommand(program, context);
  return program;
}

/** The same from src/cli and, compiled, from dist/cli. */
function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version: number }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return number;
}
