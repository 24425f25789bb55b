import type { CommandSpec } from '../command.js';
import { hasNoLimit, LIMIT_FLAGS, limitArguments, limitOptions, SETTABLE } from '../limits.js';

const LIMITS = {
  ...limitOptions((window) => `limit of each key per UTC ${window}`),
  '--custom': 'the plan has no limits: each of its keys must have its own',
};

export const PLAN_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'list',
    says: 'Lists the plans with their limits and the number of their keys.',
    list: 'select * from plan_overview order by requests_per_minute nulls last, id',
    columns: ['id', 'custom', 'requests_per_minute', 'requests_per_day', 'keys', 'live_keys'],
    of: 'plans',
    empty: 'No plans found.',
  },
  {
    usage: 'create <plan>',
    says: 'Creates a plan: lower-case letters, digits, - and _.',
    options: LIMITS,
    check: (values) =>
      hasNoLimit(values) && values['custom'] === undefined && `Pass ${LIMIT_FLAGS} or --custom.`,
    change: `select * from create_plan(id => :plan, ${limitArguments()}, custom => :custom)`,
    examples: ['plans create startup --per-minute 600 --per-day 50000'],
  },
  {
    usage: 'set <plan>',
    says: 'Changes a plan. Options that you omit stay unchanged. For more than ten keys it asks.',
    options: { ...LIMITS, '--no-custom': 'the plan has limits of its own' },
    check: (values) =>
      hasNoLimit(values) &&
      ((values.dryRun === true && `With --dry-run, pass one or more of ${LIMIT_FLAGS}.`) ||
        (values['custom'] === undefined && `Pass ${LIMIT_FLAGS}, --custom or --no-custom.`)),
    change: `select * from set_plan(id => :plan, ${limitArguments()}, custom => :custom)`,
    ask: `
      select format('This changes the limits of %s keys.', sum(live_keys)) as question
      from plan_overview
      where id = :plan
      having sum(live_keys) > 10`,
    dryRun: {
      list: `select * from plan_change_preview(plan => :plan, ${limitArguments()})`,
      columns: [
        ...['key=api_key_id', 'name', 'own_limits'],
        ...['hours_over', 'highest_minute', 'days_over', 'highest_day'],
      ],
      people: (rows) =>
        rows.map((row) => {
          const own = SETTABLE.map(({ name }) => name).filter((name) => row[`own_${name}_limit`] === true);
          return { ...row, own_limits: own.join(', ') || null };
        }),
      empty: 'No key of the plan used more than these limits.',
      note: 'Of the last 35 days, as far as they are known: neither the last ten seconds, nor what a key would have used while it was banned. Limits of its own stay.',
    },
    examples: ['plans set free --per-minute 120', 'plans set free --per-minute 30 --dry-run'],
  },
  {
    usage: 'rename <plan> <new-id>',
    says: 'Gives a plan another id, which all of its keys get. Its limits stay.',
    change: 'select * from rename_plan(:plan, :newId)',
    examples: ['plans rename growing growth'],
  },
  {
    usage: 'delete <plan>',
    says: 'Deletes a plan that has no keys, also no revoked ones.',
    configure: (command) => command.aliases(['remove', 'rm']),
    change: 'select * from delete_plan(:plan)',
    examples: ['plans delete growing'],
  },
];
