import { type Command, Option } from 'commander';
import {
  duration,
  examples,
  INSTEAD_OF_PLAN,
  instant,
  type JsonOption,
  ownLimit,
  positiveInteger,
} from '../arguments.js';
import { UsageError } from '../cli-error.js';
import type { CliContext } from '../context.js';
import { addKeyCommand, changeKey, type KeyReference } from '../key-command.js';

interface YesOption extends JsonOption {
  readonly yes?: true;
}

/** Absent limits are those of the plan in `set-plan`, and unchanged in `set-limits`. */
interface LimitOptions<Limit> extends JsonOption {
  readonly perMinute?: Limit;
  readonly perDay?: Limit;
}

const OWN_OR_PLAN = 'a number, or the word plan for the number of its plan';
const DAY_SECONDS = 86_400;

export function addKeyChangeCommands(keys: Command, context: CliContext): void {
  addRotateCommand(keys, context);
  addLimitCommands(keys, context);
  addStateCommands(keys, context);
}

function addRotateCommand(keys: Command, context: CliContext): void {
  addKeyCommand(
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
    .action((key: KeyReference, { overlap, yes, json }: YesOption & { readonly overlap: number }) =>
      changeKey(context, key, json, {
        call: 'rotate_api_key(id => $1, overlap => make_interval(secs => $2))',
        values: [overlap],
        ask: {
          yes: yes === true || overlap > 0,
          question: ({ id, name }) => `All present secrets of key ${id} (${name}) will end at once.`,
        },
      }),
    )
    .addHelpText(
      'after',
      examples('petstore keys rotate 7', 'petstore keys rotate psk_Zx81Qp0a --overlap 0 --yes'),
    );
}

function addLimitCommands(keys: Command, context: CliContext): void {
  addKeyCommand(
    keys,
    'set-plan',
    "Moves a key to another plan, with the plan's limits unless others are given.",
  )
    .argument('<plan>', 'see `petstore plans list`')
    .option('--per-minute <requests>', INSTEAD_OF_PLAN, positiveInteger)
    .option('--per-day <requests>', INSTEAD_OF_PLAN, positiveInteger)
    .option('--json', 'print one object')
    .action((key: KeyReference, plan: string, { perMinute, perDay, json }: LimitOptions<number>) =>
      changeKey(context, key, json, {
        call: 'set_api_key_plan(id => $1, plan => $2, per_minute => $3, per_day => $4)',
        values: [plan, perMinute, perDay],
      }),
    )
    .addHelpText(
      'after',
      examples(
        'petstore keys set-plan 7 business',
        'petstore keys set-plan 7 enterprise --per-minute 5000 --per-day 1000000',
      ),
    );

  addKeyCommand(
    keys,
    'set-limits',
    'Gives a key its own limits, or takes them back. What is not given stays as it is.',
  )
    .option('--per-minute <requests>', OWN_OR_PLAN, ownLimit)
    .option('--per-day <requests>', OWN_OR_PLAN, ownLimit)
    .option('--json', 'print one object')
    .action(async (key: KeyReference, { perMinute, perDay, json }: LimitOptions<number | 'plan'>) => {
      if (perMinute === undefined && perDay === undefined) {
        throw new UsageError('Give --per-minute, --per-day or both.');
      }
      await changeKey(context, key, json, {
        call: `set_api_key_limits(
          id => $1,
          per_minute => case when $2 then $3::int else ${presentLimit('requests_per_minute')} end,
          per_day => case when $4 then $5::int else ${presentLimit('requests_per_day')} end)`,
        values: [...given(perMinute), ...given(perDay)],
      });
    })
    .addHelpText(
      'after',
      examples(
        'petstore keys set-limits 7 --per-minute 600',
        'petstore keys set-limits 7 --per-minute plan --per-day plan',
      ),
    );
}

/** The row is locked, so that a limit that is not given stays the one that is there. */
const presentLimit = (column: string): string =>
  `(select ${column} from api_keys where id = $1 for no key update)`;

/** Whether a limit is given, and its value, null for the plan's. */
const given = (limit: number | 'plan' | undefined): readonly unknown[] => [
  limit !== undefined,
  limit === 'plan' ? null : limit,
];

interface SuspendOptions extends JsonOption {
  readonly until?: Date;
  /** Seconds. */
  readonly for?: number;
}

/** Commands that end a key, for good or for a while, and that let it work again. */
function addStateCommands(keys: Command, context: CliContext): void {
  addKeyCommand(keys, 'revoke', 'Ends a key for good, with all its secrets.')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object')
    .action((key: KeyReference, { yes, json }: YesOption) =>
      changeKey(context, key, json, {
        call: 'revoke_api_key(id => $1)',
        ask: {
          yes: yes === true,
          question: ({ id, name, prefix }) =>
            `Key ${id} (${name}, ${prefix ?? 'without a secret'}) will end for good.`,
        },
      }),
    )
    .addHelpText('after', examples('petstore keys revoke 7', 'petstore keys revoke psk_Zx81Qp0a --yes'));

  addKeyCommand(keys, 'suspend', 'Has every request of a key refused: for a while, or until it is resumed.')
    .option('--until <time>', 'as 2027-01-31T00:00:00Z', instant)
    .option('--for <span>', 'as 30m, 24h or 7d', duration)
    .option('--json', 'print one object')
    .action((key: KeyReference, { until, for: seconds, json }: SuspendOptions) =>
      changeKey(context, key, json, {
        call: 'suspend_api_key(id => $1, until => $2, lasting => make_interval(secs => $3))',
        values: [until?.toISOString(), seconds],
      }),
    )
    .addHelpText('after', examples('petstore keys suspend 7 --for 1h', 'petstore keys suspend 7'));

  addKeyCommand(keys, 'resume', 'Ends a suspension; a ban goes on.')
    .option('--json', 'print one object')
    .action((key: KeyReference, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'resume_api_key(id => $1)' }),
    )
    .addHelpText('after', examples('petstore keys resume 7'));

  addKeyCommand(
    keys,
    'unban',
    'Lifts the bans of a key, which make the next one no longer, either; a suspension goes on.',
  )
    .option('--json', 'print one object')
    .action((key: KeyReference, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'unban_api_key(id => $1)' }),
    )
    .addHelpText('after', examples('petstore keys unban 7'));
}
