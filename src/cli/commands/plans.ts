import type { CommandSpec } from '../command.js';
import { type Window, WINDOWS } from '../../auth/admission/windows.js';
import { hasNoLimit, LIMIT_FLAGS, limitArguments, limitOptions } from '../limits.js';

const limitOf = ({ name }: Window): string => `limit of each key per UTC ${name}`;

const CUSTOM = { '--custom': 'the plan has no limits: each of its keys must have its own' };

/** Only the limit of an optional window can be removed. */
const CHANGED_LIMITS = limitOptions(
  (window) => (window.isRequired ? limitOf(window) : `${limitOf(window)}, or \`none\``),
  ({ isRequired }) => (isRequired ? 'requests' : 'requests:requests-or-none'),
);

/** Omitted limits are unchanged: the function expects null for required limits, and -1 for the others. */
const changedLimit = (value: string, _column: string, { isRequired }: Window): string =>
  isRequired ? value : `case when ${value} = 'none' then null else coalesce(${value}::int, -1) end`;

const previewedLimit = (value: string, _column: string, { isRequired }: Window): string =>
  isRequired ? value : `nullif(${value}, 'none')::int`;

export const PLAN_COMMANDS: readonly CommandSpec[] = [
  {
    usage: 'list',
    says: 'Lists the plans with their limits and the number of their keys.',
    list: 'select * from plan_overview order by requests_per_minute nulls last, id',
    columns: ['id', 'custom', ...WINDOWS.map(({ name }) => `requests_per_${name}`), 'keys', 'live_keys'],
    of: 'plans',
    empty: 'No plans found.',
  },
  {
    usage: 'create <plan>',
    says: 'Creates a plan: lower-case letters, digits, - and _.',
    options: { ...limitOptions(limitOf), ...CUSTOM },
    check: (values) =>
      hasNoLimit(values) && values['custom'] === undefined && `Pass ${LIMIT_FLAGS} or --custom.`,
    change: `select * from create_plan(id => :plan, ${limitArguments()}, custom => :custom)`,
    examples: ['plans create startup --per-minute 600 --per-day 50000'],
  },
  {
    usage: 'set <plan>',
    says: 'Changes a plan. Omitted options stay unchanged. Asks if over ten keys are affected.',
    options: { ...CHANGED_LIMITS, ...CUSTOM, '--no-custom': 'the plan has its own limits' },
    check: (values) =>
      hasNoLimit(values) &&
      ((values.dryRun === true && `With --dry-run, pass one or more of ${LIMIT_FLAGS}.`) ||
        (values['custom'] === undefined && `Pass ${LIMIT_FLAGS}, --custom or --no-custom.`)),
    change: `select * from set_plan(id => :plan, ${limitArguments(changedLimit)}, custom => :custom)`,
    ask: `
      select format('This changes the limits of %s keys.', sum(live_keys)) as question
      from plan_overview
      where id = :plan
      having sum(live_keys) > 10`,
    dryRun: {
      list: `select * from plan_change_preview(plan => :plan, ${limitArguments(previewedLimit)})`,
      columns: [
        ...['key=api_key_id', 'name', 'own_limits'],
        ...['hours_over', 'highest_minute', 'days_over', 'highest_day', 'months_over', 'highest_month'],
      ],
      people: (rows) =>
        rows.map((row) => {
          const own = WINDOWS.map(({ name }) => name).filter((name) => row[`own_${name}_limit`] === true);
          return { ...row, own_limits: own.join(', ') || null };
        }),
      empty: 'No key of the plan used more than these limits.',
      note: 'Covers the last 35 days, except the last ten seconds and use prevented by bans. Keys with own limits are unaffected.',
    },
    examples: [
      'plans set free --per-minute 120',
      'plans set pro --per-month 200000',
      'plans set free --per-minute 30 --dry-run',
    ],
  },
  {
    usage: 'rename <plan> <new-id>',
    says: 'Changes the id of a plan, also in its keys. Limits are kept.',
    change: 'select * from rename_plan(:plan, :newId)',
    examples: ['plans rename growing growth'],
  },
  {
    usage: 'delete <plan>',
    says: 'Deletes a plan without keys, not even revoked ones.',
    configure: (command) => command.aliases(['remove', 'rm']),
    change: 'select * from delete_plan(:plan)',
    examples: ['plans delete growing'],
  },
];
