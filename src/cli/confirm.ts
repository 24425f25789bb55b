import { CliError, UsageError } from './cli-error.js';
import type { CliContext } from './context.js';

/**
 * Asks before something that cannot be undone.
 *
 * @throws UsageError when nobody can answer and `--yes` was not given
 * @throws CliError when the answer is not yes
 */
export async function confirm({ ask }: CliContext, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw new UsageError(
      `${question} Nobody is here to answer.`,
      'Give --yes to have it done without asking.',
    );
  }
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.');
}
