import type { Command } from 'commander';
import { duration, instant } from '../arguments.js';
import { addChangeCommand, call, changeKey } from '../change-key.js';
import { confirm } from '../confirm.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import type { KeyReference } from '../key-reference.js';

interface RevokeOptions {
  readonly yes?: true;
  readonly json?: true;
}

interface SuspendOptions {
  readonly until?: Date;
  /** Seconds. */
  readonly for?: number;
  readonly json?: true;
}

/** What ends a key, for good or for a while, and what lets it work again. */
export function addKeysStateCommands(keys: Command, context: CliContext): void {
  const revoke = addChangeCommand(keys, 'revoke', 'Ends a key for good, with all its secrets.')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object')
    .action((key: KeyReference, { yes, json }: RevokeOptions) =>
      changeKey(context, {
        key,
        json: json === true,
        confirm: ({ id, name, prefix }) =>
          confirm(
            context,
            yes === true,
            `Key ${id} (${name}, ${prefix ?? 'without a secret'}) will end for good.`,
          ),
        work: (client, id) => call(client, 'revoke_api_key(id => $1)', [id]),
      }),
    );
  addExamples(revoke, 'petstore keys revoke 7', 'petstore keys revoke psk_Zx81Qp0a --yes');

  const suspend = addChangeCommand(
    keys,
    'suspend',
    'Has every request of a key refused: for a while, or until it is resumed.',
  )
    .option('--until <time>', 'as 2027-01-31T00:00:00Z', instant)
    .option('--for <span>', 'as 30m, 24h or 7d', duration)
    .option('--json', 'print one object')
    .action((key: KeyReference, { until, for: seconds, json }: SuspendOptions) =>
      changeKey(context, {
        key,
        json: json === true,
        work: (client, id) =>
          call(client, 'suspend_api_key(id => $1, until => $2, lasting => make_interval(secs => $3))', [
            id,
            until?.toISOString() ?? null,
            seconds ?? null,
          ]),
      }),
    );
  addExamples(suspend, 'petstore keys suspend 7 --for 1h', 'petstore keys suspend 7');

  const again = [
    { name: 'resume', does: 'resume_api_key', description: 'Ends a suspension; a ban goes on.' },
    {
      name: 'unban',
      does: 'unban_api_key',
      description:
        'Lifts the bans of a key, which make the next one no longer, either; a suspension goes on.',
    },
  ];
  for (const { name, does, description } of again) {
    const command = addChangeCommand(keys, name, description)
      .option('--json', 'print one object')
      .action((key: KeyReference, { json }: { readonly json?: true }) =>
        changeKey(context, {
          key,
          json: json === true,
          work: (client, id) => call(client, `${does}(id => $1)`, [id]),
        }),
      );
    addExamples(command, `petstore keys ${name} 7`);
  }
}
