import type { AdmissionDecision, Caller, LimitWindow } from './decision.js';
import { lengthOf, type Window, WINDOWS } from './windows.js';
import { windowMembers, type WindowSources } from './windows.sql.js';

/**
 * One row of an admission statement, for one existing secret of the batch. Times are ms of the database's clock. The members from
 * `granted` on are missing unless the key is live.
 */
export type AdmissionRow = readonly [
  /** `uncounted`: a live key without a counter row; `suspended`: one that an operator has temporarily blocked. */
  state: 'live' | 'suspended' | 'uncounted' | 'revoked' | 'expired',
  /** The 1-based position of the secret in the parameter arrays. */
  position: number,
  /** As text: it may exceed a double's precision. */
  keyId: string,
  planId: string,
  access: 'read' | 'write',
  nowMs: number,
  /** How many of the requests are admitted. */
  granted: number,
  /** How many others are counted as rejections; the rest are rejected by the ban. */
  rejected: number,
  clockWentBack: 0 | 1,
  /**
   * For each of `WINDOWS`: its limit (0: none), the requests admitted before the batch, and its end; then the end of the ban or
   * suspension, if there is one.
   */
  ...windowsAndBarredUntilMs: number[],
];

const MEMBERS_OF_WINDOW = 3;

const MEMBERS = [
  'state',
  'position',
  'keyId',
  'planId',
  'access',
  'nowMs',
  'granted',
  'rejected',
  'clockWentBack',
] as const;
const TEXTS: ReadonlySet<string> = new Set(['state', 'keyId', 'planId', 'access']);

/** SQL for an `AdmissionRow` as JSON, from SQL for each member. Nulls are dropped: only trailing or unused members may be null. */
export function selectAdmissionRow(
  sql: Readonly<Record<(typeof MEMBERS)[number] | 'barredUntilMs', string>> & {
    readonly windows: WindowSources;
  },
): string {
  const members = [
    ...MEMBERS.map((name) => (TEXTS.has(name) ? `'"' || ${sql[name]} || '"'` : sql[name])),
    ...windowMembers(sql.windows),
    sql.barredUntilMs,
  ];
  return `
  '[' || concat_ws(
    ',',
    ${members.join(',\n    ')}
  ) || ']' as json`;
}

export const parseAdmission = (rows: readonly { readonly json: string }[]): readonly AdmissionRow[] =>
  JSON.parse(`[${rows.map(({ json }) => json).join(',')}]`) as AdmissionRow[];

/**
 * The requests of one live key in a batch, in order of arrival, whichever secret they used: the first are
 * granted, each with its own `Remaining`; the next are rejected and counted; the rest are rejected by the ban. Each gets
 * the result of serial processing.
 */
export interface KeyDecisions {
  /** The row's counts were over two minutes ahead of the clock, so they were reset. */
  readonly clockWentBack: boolean;
  /** The end of the ban that this batch started, if any: during a ban, rejections are not counted. */
  readonly banUntilMs: number | undefined;
  /** The decision of the next request of the key. */
  readonly next: () => AdmissionDecision;
}

export function keyDecisionsOf(row: AdmissionRow): KeyDecisions {
  const [rowState, , id, planId, access, nowMs, granted, rejected, clockWentBack, ...rest] = row;
  const limits = WINDOWS.flatMap((window, nth) => limitOf(window, rest, nth * MEMBERS_OF_WINDOW));
  const barredUntilMs = rest[WINDOWS.length * MEMBERS_OF_WINDOW];
  const caller: Caller = { keyId: BigInt(id), planId, ...(access === 'read' && { isReadOnly: true }) };
  const counted = granted + rejected;
  let ordinal = 0;
  const next = (): AdmissionDecision => {
    ordinal += 1;
    const admitted = Math.min(ordinal, granted);
    const windows = limits.map((limit) => windowOf(limit, admitted)) as [LimitWindow, ...LimitWindow[]];
    // Members are written out: object spread took 8 µs per request.
    if (ordinal <= granted) return { state: 'admitted', windows, caller };
    // The last counted rejection starts the ban, if any, and is the first to report its end.
    const retryAtMs = windows.reduce(
      (latest, { remaining, resetAtMs }) => (remaining === 0 ? Math.max(latest, resetAtMs) : latest),
      ordinal >= counted ? (barredUntilMs ?? 0) : 0,
    );
    if (ordinal <= counted) return { state: 'limited', windows, caller, nowMs, retryAtMs };
    const state = rowState === 'suspended' ? 'suspended' : 'banned';
    const closed = windows.map((window) => Object.assign(window, { remaining: 0 }));
    const barred = { state, windows: closed as [LimitWindow, ...LimitWindow[]], caller, nowMs } as const;
    // Client timers overflow after 25 days, so the request would be repeated at once.
    return state === 'suspended' && retryAtMs > nowMs + DAY_MS ? barred : { ...barred, retryAtMs };
  };
  const banUntilMs = rejected > 0 ? barredUntilMs : undefined;
  return { clockWentBack: clockWentBack === 1, banUntilMs, next };
}

const DAY_MS = 86_400_000;

/** A window before the batch, with what it had admitted. */
interface KeyLimit extends Omit<LimitWindow, 'remaining'> {
  readonly admitted: number;
}

/** Empty where the key has no limit. */
function limitOf(window: Window, members: readonly number[], at: number): readonly KeyLimit[] {
  const [limit = 0, admitted = 0, resetAtMs = 0] = members.slice(at, at + MEMBERS_OF_WINDOW);
  if (limit === 0 && !window.isRequired) return [];
  const windowSeconds = lengthOf(window, resetAtMs);
  return [{ policy: window.name, windowSeconds, limit, admitted, resetAtMs }];
}

/** An operator may have set the limit below what was admitted: then nothing remains. */
const windowOf = (
  { policy, windowSeconds, limit, admitted, resetAtMs }: KeyLimit,
  ofBatch: number,
): LimitWindow => ({
  policy,
  windowSeconds,
  limit,
  remaining: Math.max(0, limit - admitted - ofBatch),
  resetAtMs,
});

/**
 * Increments the generation of counter row `c`, once in 125 updates. While a snapshot is open (a dump, a report, a forgotten
 * transaction), PostgreSQL cannot remove the row's old versions, and a lookup by key alone reads them all: with 30,000 of them
 * a statement took eight times as long. The generation follows the key in an index, so `order by generation desc limit 1` reads only
 * the newest ones.
 */
export const NEXT_GENERATION = `generation = least(c.generation + (random() < 0.008)::int, count_max())`;
