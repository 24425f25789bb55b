import type { CliContext } from './context.js';
import { EXIT_CODES, explainError } from './explain-error.js';
import { createProgram } from './program.js';

/** Runs one command line (without the program's name) and returns its exit code: 0 done, 1 not done, 2 wrong usage. */
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
