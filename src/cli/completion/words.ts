import type { Command } from 'commander';

/** What may follow at one place of the command line. */
export interface Place {
  /** The subcommands up to here, such as `keys issue`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
  /** The words that its arguments are chosen from. */
  readonly choices: readonly string[];
  /** Whether it has arguments that are not, such as a file: then options are offered to who begins one. */
  readonly hasFreeArgument: boolean;
}

export interface Word {
  readonly word: string;
  readonly description: string;
}

export interface OptionWord extends Word {
  readonly takesValue: boolean;
  /** Empty: any value. */
  readonly choices: readonly string[];
}

/** Every place of a program's command line, as the commands themselves say it. */
export function placesOf(command: Command, path = ''): readonly Place[] {
  const visible = command.createHelp();
  const place: Place = {
    path,
    commands: command.commands.map((one) => ({ word: one.name(), description: oneLine(one.description()) })),
    options: visible.visibleOptions(command).flatMap((option) =>
      option.long === undefined || option.long === null
        ? []
        : [
            {
              word: option.long,
              description: oneLine(option.description),
              takesValue: option.required || option.optional,
              choices: option.argChoices ?? [],
            },
          ],
    ),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    hasFreeArgument: command.registeredArguments.some(({ argChoices }) => argChoices === undefined),
  };
  const below = command.commands.flatMap((one) => placesOf(one, `${path} ${one.name()}`.trim()));
  return [place, ...below];
}

/** The first sentence: a shell shows it beside the word. */
const oneLine = (text: string): string => (text.split(/(?<=[.:;])\s|\n/)[0] ?? '').replace(/[.:;]$/, '');

/** A word of shell in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll(`'`, `'\\''`)}'`;
