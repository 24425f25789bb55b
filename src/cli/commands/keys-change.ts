import { Argument, type Command, Option } from 'commander';
import {
  CUSTOMER,
  duration,
  examples,
  OWN_LIMIT,
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

/** An absent limit means the plan's limit in `set-plan`, and no change in `set-limits`. */
interface LimitOptions<Limit> extends JsonOption {
  readonly perMinute?: Limit;
  readonly perDay?: Limit;
}

const OWN_OR_PLAN = 'a number, or `plan` for the limit of the plan';
const DAY_SECONDS = 86_400;

export function addKeyChangeCommands(keys: Command, context: CliContext): void {
  addRotateCommand(keys, context);
  addNameCommands(keys, context);
  addLimitCommands(keys, context);
  addStateCommands(keys, context);
}

function addRotateCommand(keys: Command, context: CliContext): void {
  addKeyCommand(
    keys,
    'rotate',
    'Adds a new secret to a key and prints it once. The old secrets stop working after the overlap. Limits stay shared.',
  )
    .addOption(
      new Option('--overlap <duration>', 'how long the old secrets keep working; 0 ends them now')
        .argParser(duration)
        .default(DAY_SECONDS, '24h'),
    )
    .option('--yes', 'do not ask for confirmation of an overlap of 0')
    .action((key: KeyReference, { overlap, yes, json }: YesOption & { readonly overlap: number }) =>
      changeKey(context, key, json, {
        call: 'rotate_api_key(id => $1, overlap => make_interval(secs => $2))',
        values: [overlap],
        ask: {
          yes: yes === true || overlap > 0,
          question: ({ id, name }) => `This ends all current secrets of key ${id} (${name}) immediately.`,
        },
      }),
    )
    .addHelpText('after', examples('petstore keys rotate 7 --overlap 2h'));

  addKeyCommand(
    keys,
    'extend-overlap',
    'Lets the old secrets of a rotation work for longer, if they still work.',
  )
    .requiredOption('--overlap <duration>', 'how long, from now on', duration)
    .action((key: KeyReference, { overlap, json }: JsonOption & { readonly overlap: number }) =>
      changeKey(context, key, json, {
        call: 'extend_api_key_overlap(id => $1, overlap => make_interval(secs => $2))',
        values: [overlap],
        also: 'select max(expires_at) as old_secrets_expire_at from api_key_secrets where api_key_id = $1',
      }),
    )
    .addHelpText('after', examples('petstore keys extend-overlap 7 --overlap 24h'));
}

function addNameCommands(keys: Command, context: CliContext): void {
  addKeyCommand(keys, 'rename', 'Gives a key another name. What it has used stays with it.')
    .argument('<name>', 'name of the customer or application')
    .action((key: KeyReference, name: string, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'rename_api_key(id => $1, name => $2)', values: [name] }),
    )
    .addHelpText('after', examples("petstore keys rename 7 'Acme mobile'"));

  addKeyCommand(keys, 'set-customer', 'Sets whose key it is. What it has used stays with it.')
    .argument('[customer]', CUSTOMER)
    .option('--none', "it is no customer's key")
    .action(
      async (
        key: KeyReference,
        customer: string | undefined,
        { none, json }: JsonOption & { readonly none?: true },
      ) => {
        if ((customer === undefined) === (none === undefined))
          throw new UsageError('Pass the customer, or --none.');
        await changeKey(context, key, json, {
          call: 'set_api_key_customer(id => $1, customer => $2)',
          values: [customer],
        });
      },
    )
    .addHelpText('after', examples('petstore keys set-customer 7 crm-4711'));
}

function addLimitCommands(keys: Command, context: CliContext): void {
  addKeyCommand(keys, 'set-plan', "Moves a key to another plan. Without options it gets the plan's limits.")
    .argument('<plan>', 'id of the plan (petstore plans list)')
    .option('--per-minute <requests>', OWN_LIMIT, positiveInteger)
    .option('--per-day <requests>', OWN_LIMIT, positiveInteger)
    .action((key: KeyReference, plan: string, { perMinute, perDay, json }: LimitOptions<number>) =>
      changeKey(context, key, json, {
        call: 'set_api_key_plan(id => $1, plan => $2, per_minute => $3, per_day => $4)',
        values: [plan, perMinute, perDay],
      }),
    )
    .addHelpText('after', examples('petstore keys set-plan 7 business'));

  addKeyCommand(
    keys,
    'set-limits',
    "Sets or removes a key's own limits. A limit that you omit stays unchanged.",
  )
    .option('--per-minute <requests>', OWN_OR_PLAN, ownLimit)
    .option('--per-day <requests>', OWN_OR_PLAN, ownLimit)
    .action(async (key: KeyReference, { perMinute, perDay, json }: LimitOptions<number | 'plan'>) => {
      if (perMinute === undefined && perDay === undefined) {
        throw new UsageError('Pass --per-minute, --per-day or both.');
      }
      await changeKey(context, key, json, {
        call: `set_api_key_limits(
          id => $1,
          per_minute => case when $2 then $3::int else ${presentLimit('requests_per_minute')} end,
          per_day => case when $4 then $5::int else ${presentLimit('requests_per_day')} end)`,
        values: [...given(perMinute), ...given(perDay)],
      });
    })
    .addHelpText('after', examples('petstore keys set-limits 7 --per-minute 600 --per-day plan'));
}

/** Locks the row, so that a concurrent change of the other limit is not overwritten. */
const presentLimit = (column: string): string =>
  `(select ${column} from api_keys where id = $1 for no key update)`;

/** Whether a limit is given, and its value: null for the plan's. */
const given = (limit: number | 'plan' | undefined): readonly unknown[] => [
  limit !== undefined,
  limit === 'plan' ? null : limit,
];

interface SuspendOptions extends JsonOption {
  readonly until?: Date;
  /** Seconds. */
  readonly for?: number;
}

/** Commands that stop a key, permanently or for a time, and that let it work again. */
function addStateCommands(keys: Command, context: CliContext): void {
  addKeyCommand(keys, 'set-access', 'Lets a key only read (GET and HEAD), or write as well.')
    .addArgument(new Argument('<access>', 'what it may do').choices(['read', 'write']))
    .action((key: KeyReference, access: string, { json }: JsonOption) =>
      changeKey(context, key, json, {
        call: 'set_api_key_access(id => $1, access => $2)',
        values: [access],
      }),
    )
    .addHelpText('after', examples('petstore keys set-access 7 read'));

  addKeyCommand(keys, 'set-expiry', 'Sets when a key expires, or that it never does.')
    .argument('<time>', 'such as 2027-01-31T00:00:00Z, or `never`', (text) =>
      text === 'never' ? text : instant(text),
    )
    .action((key: KeyReference, expires: Date | 'never', { json }: JsonOption) =>
      changeKey(context, key, json, {
        call: 'set_api_key_expiry(id => $1, expires => $2)',
        values: [expires === 'never' ? null : expires.toISOString()],
      }),
    )
    .addHelpText('after', examples('petstore keys set-expiry 7 2027-01-31T00:00:00Z'));

  addKeyCommand(keys, 'revoke', 'Revokes a key and all its secrets permanently.')
    .option('--yes', 'do not ask for confirmation')
    .action((key: KeyReference, { yes, json }: YesOption) =>
      changeKey(context, key, json, {
        call: 'revoke_api_key(id => $1)',
        ask: {
          yes: yes === true,
          question: ({ id, name, prefix }) =>
            `This permanently revokes key ${id} (${name}, ${prefix ?? 'without a secret'}).`,
        },
      }),
    )
    .addHelpText('after', examples('petstore keys revoke 7 --yes'));

  addKeyCommand(
    keys,
    'suspend',
    'Rejects all requests of a key until the given time, or until you resume it.',
  )
    .option('--until <time>', 'such as 2027-01-31T00:00:00Z', instant)
    .addOption(
      new Option('--for <duration>', 'such as 30m, 24h or 7d').argParser(duration).conflicts('until'),
    )
    .action((key: KeyReference, { until, for: seconds, json }: SuspendOptions) =>
      changeKey(context, key, json, {
        call: 'suspend_api_key(id => $1, until => $2, lasting => make_interval(secs => $3))',
        values: [until?.toISOString(), seconds],
      }),
    )
    .addHelpText('after', examples('petstore keys suspend 7 --for 1h'));

  addKeyCommand(keys, 'resume', 'Ends the suspension of a key. A ban stays in force.')
    .action((key: KeyReference, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'resume_api_key(id => $1)' }),
    )
    .addHelpText('after', examples('petstore keys resume 7'));

  addKeyCommand(keys, 'reset', 'Resets what a key has used of this minute and this day. Bans stay.')
    .action((key: KeyReference, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'reset_api_key_usage(id => $1)' }),
    )
    .addHelpText('after', examples('petstore keys reset 7'));

  addKeyCommand(
    keys,
    'unban',
    'Lifts the ban of a key and forgets its earlier bans. A suspension stays in force.',
  )
    .action((key: KeyReference, { json }: JsonOption) =>
      changeKey(context, key, json, { call: 'unban_api_key(id => $1)' }),
    )
    .addHelpText('after', examples('petstore keys unban 7'));
}
