import { type Command, Option } from 'commander';
import { duration } from '../arguments.js';
import { addChangeCommand, call, changeKey } from '../change-key.js';
import { confirm } from '../confirm.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../help.js';
import type { KeyReference } from '../key-reference.js';

interface RotateOptions {
  /** Seconds. */
  readonly overlap: number;
  readonly yes?: true;
  readonly json?: true;
}

const DAY_SECONDS = 86_400;

export function addKeysRotateCommand(keys: Command, context: CliContext): void {
  const rotate = addChangeCommand(
    keys,
    'rotate',
    'Makes another secret of a key and shows it, only now. The older ones work for the overlap; all share one set of counters.',
  )
    .addOption(
      new Option('--overlap <span>', 'how long the older secrets still work; 0 ends them at once')
        .argParser(duration)
        .default(DAY_SECONDS, '24h'),
    )
    .option('--yes', 'do not ask before an overlap of 0')
    .option('--json', 'print one object')
    .action((key: KeyReference, { overlap, yes, json }: RotateOptions) =>
      changeKey(context, {
        key,
        json: json === true,
        confirm: async ({ id, name }) => {
          if (overlap > 0) return;
          await confirm(
            context,
            yes === true,
            `All present secrets of key ${id} (${name}) will end at once.`,
          );
        },
        work: (client, id) =>
          call(client, 'rotate_api_key(id => $1, overlap => make_interval(secs => $2))', [id, overlap]),
      }),
    );
  addExamples(rotate, 'petstore keys rotate 7', 'petstore keys rotate psk_Zx81Qp0a --overlap 0 --yes');
}
