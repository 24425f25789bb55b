import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { addKeysIssueCommand } from './keys-issue.js';
import { addKeysLimitsCommands } from './keys-limits.js';
import { addKeysListCommand } from './keys-list.js';
import { addKeysLookCommands } from './keys-look.js';
import { addKeysRotateCommand } from './keys-rotate.js';
import { addKeysStateCommands } from './keys-state.js';

export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program
    .command('keys')
    .description('API keys: what is done to one holds for the next request, on every replica.');
  addKeysIssueCommand(keys, context);
  addKeysListCommand(keys, context);
  addKeysLookCommands(keys, context);
  addKeysRotateCommand(keys, context);
  addKeysLimitsCommands(keys, context);
  addKeysStateCommands(keys, context);
}
