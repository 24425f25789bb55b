// The parts of the two admission statements that are written once for each window.
import { type Window, WINDOWS } from './windows.js';

/** The begin of a window at a time: a moment, or a date. */
const beginOf = ({ name, kind }: Window, now: string): string =>
  kind === 'recorded' ? `(${now} at time zone 'UTC')::date` : `date_trunc('${name}', ${now}, 'UTC')`;

/** Its end in ms, from its begin. */
const endMsOf = ({ name, kind }: Window, begin: string): string =>
  kind === 'recorded'
    ? `date_part('epoch', (${begin} + 1)::timestamp) * 1000`
    : `date_part('epoch', ${begin} + interval '1 ${name}') * 1000`;

/** Where a key need not have a limit, 0 is none. */
const orUnlimited = ({ name, isRequired }: Window, condition: string): string =>
  isRequired ? condition : `(a.${name}_limit = 0 or ${condition})`;

/** Counts of the counters `c` in the present window of `a`. */
const counted = (name: string, count: string): string =>
  `case when c.${name} = a.this_${name} then c.${name}_${count} else 0 end`;

/** In it `a` is a key of the batch, and `c` its counters. The statement declines what has no room in one of the windows. */
const plainOf = (window: Window): { counts: string[]; conditions: string[]; set: string[] } => {
  const { name, kind, isRequired } = window;
  if (kind === 'recorded') {
    return {
      counts: [`c.${name}_admitted`],
      conditions: [
        // Only the general statement begins a new one.
        `c.${name} = a.this_${name}`,
        orUnlimited(window, `a.requests + c.${name}_admitted <= a.${name}_limit`),
      ],
      set: [
        `-- It does not change. But PostgreSQL checks the constraints with the version that this statement found before it takes a newer one, and
  -- the ${name} of the former may be an earlier one.
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
      isRequired ? `c.${name} <= a.this_${name}` : `coalesce(c.${name} <= a.this_${name}, true)`,
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
  begins: each((window) => `${beginOf(window, 't.now')} as this_${window.name}`),
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
  present: each(
    (window) =>
      `greatest(case when minute <= horizon then ${window.name} end, ${beginOf(window, 'now')}) as this_${window.name}`,
  ),
  these: each(({ name }) => `this_${name}`, ', '),
  counts: each(({ name }) => [
    `case when ${name} = this_${name} and due_reset is null then ${name}_admitted else 0 end as ${name}_admitted`,
    `case when ${name} = this_${name} then ${name}_refused else 0 end as ${name}_refused`,
  ]),
  /** What becomes history. */
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
    ({ name, isRequired }) =>
      `${isRequired ? `${name}_limit` : `nullif(${name}_limit, 0)`} - ${name}_admitted`,
    ', ',
  ),
  set: each(({ name }) => [
    `${name} = d.this_${name}`,
    `${name}_admitted = d.${name}_admitted + d.granted`,
    `${name}_refused = least(d.${name}_refused + d.rejected, count_max())`,
  ]),
} as const;

/** Where a statement has the limits, the counts and the begins of the windows; and what the counts contain of the batch. */
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
    `${counts}.${window.name}_admitted${ofBatch === undefined ? '' : ` - ${ofBatch}`}`,
    endMsOf(window, `${begins}.this_${window.name}`),
  ]);
