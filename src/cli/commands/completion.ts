import { Argument, type Command } from 'commander';
import { examples } from '../arguments.js';
import { bashCompletion, fishCompletion, type Place, zshCompletion } from '../completion-scripts.js';
import type { CliContext } from '../context.js';

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export function addCompletionCommand(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('Prints what has a shell complete the words of petstore.')
    .addArgument(new Argument('<shell>').choices(Object.keys(SHELLS)))
    .action((shell: string) => context.print(SHELLS[shell]?.(placesOf(program)) ?? ''))
    .addHelpText(
      'after',
      examples(
        'source <(petstore completion bash)',
        'petstore completion zsh > ~/.zfunc/_petstore',
        'petstore completion fish | source',
      ),
    );
}

/** Every place of a program's command line. */
function placesOf(command: Command, path = ''): readonly Place[] {
  const { registeredArguments } = command;
  const place: Place = {
    path,
    commands: command.commands.map((one) => ({ word: one.name(), description: oneLine(one.description()) })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        word: option.long ?? '',
        description: oneLine(option.description),
        takesValue: option.required || option.optional,
        choices: (option.argChoices ?? []).map((choice) => ({ word: choice })),
      }))
      .filter(({ word }) => word !== ''),
    choices: registeredArguments.flatMap(({ argChoices = [] }) =>
      argChoices.map((choice) => ({ word: choice })),
    ),
    hasFreeArgument: registeredArguments.some(({ argChoices }) => argChoices === undefined),
  };
  return [place, ...command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim()))];
}

/** The first sentence: a shell shows it beside the word. */
const oneLine = (text: string): string => (text.split(/(?<=[.:;])\s|\n/)[0] ?? '').replace(/[.:;]$/, '');
