// The parts of the two admission statements that are generated per window.
import { RECORDED, type Window, WINDOWS } from './windows.js';

/** The start of a calendar window, from a date in it. */
const calendar = (name: string, date: string): string => `date_trunc('${name}', ${date}::timestamp)::date`;

/** The start of a window at a time: a timestamp or date. */
function startOf({ name, kind }: Window, now: string): string {
  const date = `(${now} at time zone 'UTC')::date`;
  if (kind === 'counted') return `date_trunc('${name}', ${now}, 'UTC')`;
  return kind === 'recorded' ? date : calendar(name, date);
}

/** Its end in ms, from its start. */
const endMsOf = ({ name, kind }: Window, begin: string): string =>
  `date_part('epoch', ${begin}${kind === 'counted' ? '' : '::timestamp'} + interval '1 ${name}') * 1000`;

/** Its admitted requests, from the columns of `alias`. */
const admittedOf = ({ name, kind }: Window, alias: string): string =>
  kind === 'summed'
    ? `coalesce(${alias}${name}_before, 0) + ${alias}${RECORDED}_admitted`
    : `${alias}${name}_admitted`;

/** 0 means no limit if the limit is optional. */
const orUnlimited = ({ name, isRequired }: Window, condition: string): string =>
  isRequired ? condition : `(a.${name}_limit = 0 or ${condition})`;

/** Counts of the counters `c` in the current window of `a`. */
const counted = (name: string, count: string): string =>
  `case when c.${name} = a.this_${name} then c.${name}_${count} else 0 end`;

/** `a` is a key of the batch, `c` its counters. The statement declines keys that would exceed one of the windows. */
const plainOf = (window: Window): { counts: string[]; conditions: string[]; set: string[] } => {
  const { name, kind } = window;
  if (kind === 'summed') {
    // Without the sum of its history the general statement decides.
    const hasRoom = `c.${name} = a.this_${name} and a.requests + ${admittedOf(window, 'c.')} <= a.${name}_limit`;
    return { counts: [], conditions: [orUnlimited(window, `coalesce(${hasRoom}, false)`)], set: [] };
  }
  if (kind === 'recorded') {
    return {
      counts: [`c.${name}_admitted`],
      conditions: [
        // Only the general statement starts a new day.
        `c.${name} = a.this_${name}`,
        orUnlimited(window, `a.requests + c.${name}_admitted <= a.${name}_limit`),
      ],
      set: [
        `-- It does not change. But PostgreSQL first checks the constraints with the row version that this statement read, not the newest, and
  -- its ${name} may be an earlier one.
  ${name} = a.this_${name}`,
        `${name}_admitted = a.requests + a.${name}_admitted`,
      ],
    };
  }
  return {
    counts: [
      `${counted(name, 'admitted')} as ${name}_admitted`,
      `${counted(name, 'refused')} as ${name}_refused`,
    ],
    conditions: [
      `c.${name} <= a.this_${name}`,
      orUnlimited(window, `a.requests + ${counted(name, 'admitted')} <= a.${name}_limit`),
    ],
    set: [
      `${name} = a.this_${name}`,
      `${name}_admitted = a.requests + a.${name}_admitted`,
      `${name}_refused = a.${name}_refused`,
    ],
  };
};

/** SQL of each window. */
const each = (sqlOf: (window: Window) => string | readonly string[], separator = ',\n    '): string =>
  WINDOWS.flatMap(sqlOf).join(separator);

export const PLAIN = {
  begins: each((window) => `${startOf(window, 't.now')} as this_${window.name}`),
  these: each(({ name }) => `clock.this_${name}`),
  limits: each(
    ({ name }) => `coalesce(k.requests_per_${name}, p.requests_per_${name}, 0) as ${name}_limit`,
    ',\n      ',
  ),
  counts: each((window) => plainOf(window).counts),
  conditions: each((window) => plainOf(window).conditions, '\n    and '),
  set: each((window) => plainOf(window).set, ',\n  '),
} as const;

export const GENERAL = {
  planLimits: each(({ name }) => `p.requests_per_${name} as plan_requests_per_${name}`, ',\n      '),
  limits: each(
    ({ name }) => `coalesce(k.requests_per_${name}, k.plan_requests_per_${name}, 0) as ${name}_limit`,
  ),
  /** The limits as columns of `alias`. */
  limitsOf: (alias = ''): string => each(({ name }) => `${alias}${name}_limit`, ', '),
  /** The windows of the requests, from the counters, `now` and `horizon`. */
  present: each((window) => {
    const { name, kind } = window;
    if (kind !== 'summed')
      return `greatest(case when minute <= horizon then ${name} end, ${startOf(window, 'now')}) as this_${name}`;
    const date = `greatest(case when minute <= horizon then ${RECORDED} end, (now at time zone 'UTC')::date)`;
    return `${calendar(name, date)} as this_${name}`;
  }),
  these: each(({ name }) => `this_${name}`, ', '),
  counts: each(({ name, kind }) =>
    kind === 'summed'
      ? [
          // Its sum in history, and what this statement adds to that: the trigger adds the latter to the counters.
          `case
      when ${name}_limit = 0 then null
      when ${name} = this_${name} then ${name}_before
      else ${name}_admitted_before(api_key_id, this_${RECORDED})
    end as ${name}_stored`,
          `case when ${RECORDED} > '-infinity' and (${RECORDED} <> this_${RECORDED} or due_reset is not null)
      and ${calendar(name, RECORDED)} = this_${name} then ${RECORDED}_admitted else 0 end as ${name}_finished`,
        ]
      : [
          `case when ${name} = this_${name} and due_reset is null then ${name}_admitted else 0 end as ${name}_admitted`,
          `case when ${name} = this_${name} then ${name}_refused else 0 end as ${name}_refused`,
        ],
  ),
  /** Further columns, from the counts. */
  sums: each(
    ({ name, kind }) => (kind === 'summed' ? `, ${name}_stored + ${name}_finished as ${name}_before` : []),
    '',
  ),
  /** Counts that move to history. */
  finished: each(({ name, kind }) =>
    kind === 'recorded'
      ? [
          `case when (${name} <> this_${name} and ${name} > '-infinity') or (${name} = this_${name} and due_reset is not null) then ${name} end as finished_at`,
          `${name}_admitted as finished_admitted`,
          `case when ${name} <> this_${name} then ${name}_refused else 0 end as finished_refused`,
        ]
      : [],
  ),
  /** What each window has left, for `least`; null where it has no limit. */
  left: each(
    (window) =>
      `${window.isRequired ? `${window.name}_limit` : `nullif(${window.name}_limit, 0)`} - (${admittedOf(window, '')})`,
    ', ',
  ),
  set: each(({ name, kind }) =>
    kind === 'summed'
      ? [
          `${name} = case when d.${name}_stored is not null then d.this_${name} end`,
          `${name}_before = d.${name}_stored`,
        ]
      : [
          `${name} = d.this_${name}`,
          `${name}_admitted = d.${name}_admitted + d.granted`,
          `${name}_refused = least(d.${name}_refused + d.rejected, count_max())`,
        ],
  ),
  /** The limits as operators see them: null means no limit. */
  limitsOrNull: each(
    ({ name, isRequired }) => (isRequired ? `${name}_limit` : `nullif(${name}_limit, 0)`),
    ', ',
  ),
} as const;

/** Aliases with the limits, counts and starts of the windows; and the requests of the batch that the counts include. */
export interface WindowSources {
  readonly limits: string;
  readonly counts: string;
  readonly begins: string;
  readonly ofBatch?: string;
}

/** The members of an `AdmissionRow` that each window has. */
export const windowMembers = ({ limits, counts, begins, ofBatch }: WindowSources): readonly string[] =>
  WINDOWS.flatMap((window) => [
    `${limits}.${window.name}_limit`,
    `${admittedOf(window, `${counts}.`)}${ofBatch === undefined ? '' : ` - ${ofBatch}`}`,
    endMsOf(window, `${begins}.this_${window.name}`),
  ]);
