import { Argument, type Command } from 'commander';
import { bashCompletion } from '../completion/bash.js';
import { fishCompletion } from '../completion/fish.js';
import { type Place, placesOf } from '../completion/words.js';
import { zshCompletion } from '../completion/zsh.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export function addCompletionCommand(program: Command, context: CliContext): void {
  const completion = program
    .command('completion')
    .description('Prints what has a shell complete the words of petstore.')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .action((shell: string) => context.print(SHELLS[shell]?.(placesOf(program)) ?? ''));
  addExamples(
    completion,
    'source <(petstore completion bash)',
    'petstore completion zsh > ~/.zfunc/_petstore',
    'petstore completion fish | source',
  );
}
