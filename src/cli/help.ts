import type { Command } from 'commander';

/** Shows how a command is used, below its options. */
export const addExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText(
    'after',
    `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${examples.map((line) => `  ${line}\n`).join('')}`.trimEnd(),
  );
