import { Command } from 'commander';
import { addDbCommands } from './commands/db.js';
import { addKeysCommands } from './commands/keys.js';
import type { CliContext } from './context.js';

/** The command line `petstore`: the same database that the service uses, also beside a running service. */
export function createProgram(context: CliContext): Command {
  const program = new Command('petstore')
    .description("Manages the Pet Store Service's database: DATABASE_URL, or the embedded one in DATA_DIR.")
    .showHelpAfterError()
    .configureOutput({ writeOut: context.print, writeErr: context.complain });
  addDbCommands(program, context);
  addKeysCommands(program, context);
  return program;
}
