import { shown } from '../../monitoring/text.js';
import type { Row } from '../../database/statement.js';
import { UsageError } from '../cli-error.js';
import { bind, type CommandSpec, type Values, withKey } from '../command.js';
import type { CliContext } from '../context.js';
import { hasNoLimit, LIMIT_FLAGS, limitArguments, limitOptions } from '../limits.js';
import { printRows, toFacts, toJson } from '../output.js';
import { queryOne, withDatabase } from '../session.js';
import { findCommand } from './keys-find.js';
import { importCommand } from './keys-import.js';

const OWN_LIMIT = "the key's own limit, instead of the plan's; required on a custom plan";
const OWN_OR_PLAN = 'a number, or `plan` for the limit of the plan';

/** Omitted limits are unchanged. It locks the row, so that a concurrent change of another limit is not overwritten. */
const limitOr = (value: string, column: string): string => `
  case when ${value} = 'plan' then null
    else coalesce(nullif(${value}, 'plan')::int, (select ${column} from api_keys where id = :key for no key update))
  end`;

export const KEY_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'issue',
    says: 'Issues a key and prints it. The key is not stored, so it cannot be printed again.',
    options: {
      '--name <name>': { says: 'name of the customer or application', isRequired: true },
      '--customer <customer>': "the customer's id in another system, such as crm-4711",
      '--plan <plan>': { says: 'free, pro, business, enterprise or another plan', isRequired: true },
      ...limitOptions(() => OWN_LIMIT),
      '--expires <time>': 'when the key expires, such as 2027-01-31T00:00:00Z',
      '--read-only': 'for a web page: the key may only read (GET and HEAD)',
    },
    change: `
      select issued.*, access, :customer::text as customer
      from (values (case when :readOnly then 'read' else 'write' end::api_key_access)) as given (access)
      cross join lateral issue_customer_api_key(
        customer => :customer, name => :name, plan => :plan,
        ${limitArguments()}, expires => :expires, access => access) as issued`,
    examples: [
      "keys issue --name 'Acme web' --plan pro",
      "keys issue --name 'Acme page' --customer crm-4711 --plan free --read-only",
    ],
  },
  importCommand,
  {
    usage: 'list',
    says: 'Lists keys with their plan, state and use (the view api_key_overview).',
    options: {
      '--plan <plan>': 'only keys of this plan',
      '--customer <customer>': 'only keys of this customer',
      '--state <state>': 'only keys in this state',
      '--name <part>': 'only keys with this text in their name',
    },
    list: `
      select *
      from api_key_overview
      where (:plan::text is null or plan_id = :plan)
        and (:state::text is null or state = :state)
        and (:name::text is null or strpos(lower(name), lower(:name)) > 0)
        and (:customer::text is null or customer = :customer)
      order by id`,
    columns: [
      ...[
        'id',
        'name',
        'customer?',
        'prefix',
        'plan=plan_id',
        'state',
        'minute=minute_admitted/requests_per_minute',
      ],
      ...['day=day_admitted/requests_per_day', 'rejected=day_refused', 'last used=last_used_at'],
    ],
    empty: 'No keys found.',
    needs: {
      sql: 'select from plans where :plan::text is null or id = :plan',
      otherwise: ['There is no plan ":plan".', 'To see the plans: petstore plans list'],
    },
    examples: ['keys list --plan pro --state banned', 'keys list --customer crm-4711'],
  },
  {
    usage: 'show <key>',
    says: 'Shows the limits, state, use and secrets of a key.',
    run: showKey,
    examples: ['keys show psk_8QvR2mXa'],
  },
  {
    usage: 'usage <key>',
    says: 'Shows the requests of a key by UTC day, today last. Days without requests are left out.',
    options: { '--days <days>': { says: 'number of days, including today', byDefault: '31' } },
    list: `
      select day, admitted, refused
      from api_key_daily_usage
      where api_key_id = :key and day > today() - :days::int
      order by day`,
    columns: ['day', 'admitted', 'rejected=refused'],
    of: 'days',
    empty: 'No requests in the last :days days.',
    examples: ['keys usage 7 --days 7'],
  },
  findCommand,
  {
    usage: 'rotate <key>',
    says: 'Adds a new secret to a key and prints it once. The old secrets stop working after the overlap. Limits stay shared.',
    options: {
      '--overlap <duration>': {
        says: 'how long the old secrets keep working; 0 ends them now',
        byDefault: '24h',
      },
    },
    change: 'select * from rotate_api_key(id => :key, overlap => make_interval(secs => :overlap))',
    ask: `
      select format('This ends all current secrets of key %s (%s) immediately.', id, name) as question
      from api_key_overview_of(:key)
      where :overlap::float8 = 0`,
    examples: ['keys rotate 7 --overlap 2h'],
  },
  {
    usage: 'extend-overlap <key>',
    says: 'Lets the old secrets of a rotation work for longer, if they still work.',
    options: { '--overlap <duration>': { says: 'how long, from now on', isRequired: true } },
    change: 'select * from extend_api_key_overlap(id => :key, overlap => make_interval(secs => :overlap))',
    also: 'select max(expires_at) as old_secrets_expire_at from api_key_secrets where api_key_id = :key',
    examples: ['keys extend-overlap 7 --overlap 24h'],
  },
  {
    usage: 'rename <key> <name>',
    says: 'Renames a key. Its usage is kept.',
    change: 'select * from rename_api_key(id => :key, name => :name)',
    examples: ["keys rename 7 'Acme mobile'"],
  },
  {
    usage: 'set-customer <key> [customer]',
    says: 'Sets the customer of a key. Its usage is kept.',
    options: { '--none': 'the key has no customer' },
    check: ({ customer, none }) =>
      (customer === undefined) === (none === undefined) && 'Pass the customer, or --none.',
    change: 'select * from set_api_key_customer(id => :key, customer => :customer)',
    examples: ['keys set-customer 7 crm-4711'],
  },
  {
    usage: 'set-plan <key> <plan>',
    says: "Moves a key to another plan. Without options it gets the plan's limits.",
    options: limitOptions(() => OWN_LIMIT),
    change: `select * from set_api_key_plan(id => :key, plan => :plan, ${limitArguments()})`,
    examples: ['keys set-plan 7 business'],
  },
  {
    usage: 'set-limits <key>',
    says: "Sets or removes a key's own limits. A limit that you omit stays unchanged.",
    options: limitOptions(
      () => OWN_OR_PLAN,
      () => 'requests:requests-or-plan',
    ),
    check: (values) => hasNoLimit(values) && `Pass one or more of ${LIMIT_FLAGS}.`,
    change: `select * from set_api_key_limits(id => :key, ${limitArguments(limitOr)})`,
    examples: ['keys set-limits 7 --per-minute 600 --per-day plan'],
  },
  {
    usage: 'set-access <key> <access>',
    says: 'Lets a key only read (GET and HEAD), or write as well.',
    change: 'select * from set_api_key_access(id => :key, access => :access)',
    examples: ['keys set-access 7 read'],
  },
  {
    usage: 'set-expiry <key> <time:expiry>',
    says: 'Sets when a key expires, or that it never does.',
    change: 'select * from set_api_key_expiry(id => :key, expires => :time)',
    examples: ['keys set-expiry 7 2027-01-31T00:00:00Z', 'keys set-expiry 7 never'],
  },
  {
    usage: 'revoke <key>',
    says: 'Revokes a key and all its secrets permanently.',
    change: 'select * from revoke_api_key(id => :key)',
    ask: `
      select format('This permanently revokes key %s (%s, %s).', id, name, coalesce(prefix, 'without a secret')) as question
      from api_key_overview_of(:key)`,
    examples: ['keys revoke 7 --yes'],
  },
  {
    usage: 'suspend <key>',
    says: 'Rejects all requests of a key until the given time, or until you resume it.',
    options: {
      '--until <time>': 'such as 2027-01-31T00:00:00Z',
      '--for <duration>': { says: 'such as 30m, 24h or 7d', conflicts: 'until' },
    },
    change:
      'select * from suspend_api_key(id => :key, until => :until, lasting => make_interval(secs => :for))',
    examples: ['keys suspend 7 --for 1h'],
  },
  {
    usage: 'resume <key>',
    says: 'Ends the suspension of a key. A ban stays in force.',
    change: 'select * from resume_api_key(id => :key)',
  },
  {
    usage: 'reset <key>',
    says: 'Resets the usage of a key in this minute and day. Bans are kept, and rejections still count towards one.',
    change: 'select * from reset_api_key_usage(id => :key)',
  },
  {
    usage: 'unban <key>',
    says: 'Lifts the ban of a key and forgets its earlier bans. A suspension stays in force.',
    change: 'select * from unban_api_key(id => :key)',
  },
  {
    usage: 'delete',
    says: 'Not supported: explains the alternative.',
    isHidden: true,
    configure: (command) => command.aliases(['remove', 'rm']).allowUnknownOption().allowExcessArguments(),
    run: () => {
      throw new UsageError(
        'Keys cannot be deleted: usage and audit log are kept.',
        'To revoke a key permanently: petstore keys revoke 7',
      );
    },
  },
];

/** Outcomes of a key's requests, including the current hour. */
const LAST_24_HOURS = `
  select outcome, saturated(sum(requests)) as requests
  from last_24_hours
  join api_key_usage_hours using (hour)
  where api_key_id = :key
  group by outcome
  order by requests desc, outcome`;

const SECRETS =
  'select prefix, created_at, expires_at from api_key_secrets where api_key_id = :key order by created_at';

function showKey(context: CliContext, given: Values): Promise<void> {
  return withDatabase(context, async ({ client }) => {
    const values = await withKey(client, given);
    const key = await queryOne(client, bind('select * from api_key_overview_of(:key)', values));
    const { rows: secret_list } = await client.query<Row>(bind(SECRETS, values));
    const { rows: outcomes } = await client.query<Row>(bind(LAST_24_HOURS, values));
    if (given.json === true) {
      const outcomes_24h = Object.fromEntries(outcomes.map((row) => [row['outcome'], row['requests']]));
      return context.print(toJson({ ...key, outcomes_24h, secret_list }));
    }
    const outcomes_24h = outcomes
      .map((row) => `${shown(row['outcome'])} ${shown(row['requests'])}`)
      .join(', ');
    context.print(`${toFacts({ ...key, outcomes_24h: outcomes_24h || null })}\n`);
    printRows(context, ['prefix', 'created_at', 'expires_at'], secret_list, 'It has no secrets.');
  });
}
