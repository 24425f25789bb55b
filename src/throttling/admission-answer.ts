/** What the admission statement says about one secret of a group that exists. Times are ms of the database's clock. */
export type DecidedSecret = LiveKey | OtherKey;

interface PresentedSecret {
  /** The place of the secret in the statement's lists, from 1 on. */
  readonly position: number;
  readonly keyId: bigint;
  readonly planId: string;
  readonly nowMs: number;
}

export interface LiveKey extends PresentedSecret {
  readonly state: 'live';
  /** How many of the requests are admitted. */
  readonly granted: number;
  /** How many of the others are counted as refusals; the rest finds the key banned. */
  readonly refused: number;
  readonly minute: CountedWindow;
  readonly day: CountedWindow;
  readonly clockWentBack: boolean;
  readonly barredUntilMs: number | undefined;
}

/** `uncounted` is a live key without a row of counters. */
interface OtherKey extends PresentedSecret {
  readonly state: 'revoked' | 'expired' | 'uncounted';
}

interface CountedWindow {
  readonly limit: number;
  /** What it had admitted before the group. */
  readonly admitted: number;
  readonly resetAtMs: number;
}

/** One array of the statement's answer. The last figure is missing where nothing bars the key, and those from `granted` on where it is not live. */
type Told = readonly [
  state: DecidedSecret['state'],
  position: number,
  keyId: string,
  planId: string,
  nowMs: number,
  granted: number,
  refused: number,
  minuteLimit: number,
  minuteAdmitted: number,
  minuteResetMs: number,
  dayLimit: number,
  dayAdmitted: number,
  dayResetMs: number,
  clockWentBack: 0 | 1,
  barredUntilMs?: number,
];

/**
 * SQL for one array of an answer, as `Told` has it, from SQL for each member. Nulls are left out: only what is last, or is not read,
 * may be one. Identifiers are told as text, for they may be more than a double holds.
 */
export const tellSecret = (sql: {
  readonly state: string;
  readonly position: string;
  readonly keyId: string;
  readonly planId: string;
  readonly nowMs: string;
  readonly granted: string;
  readonly refused: string;
  readonly minuteLimit: string;
  readonly minuteAdmitted: string;
  readonly minuteResetMs: string;
  readonly dayLimit: string;
  readonly dayAdmitted: string;
  readonly dayResetMs: string;
  readonly clockWentBack: string;
  readonly barredUntilMs: string;
}): string => `
  '[' || concat_ws(
    ',',
    '"' || ${sql.state} || '"',
    ${sql.position},
    '"' || ${sql.keyId} || '"',
    '"' || ${sql.planId} || '"',
    ${sql.nowMs},
    ${sql.granted},
    ${sql.refused},
    ${sql.minuteLimit},
    ${sql.minuteAdmitted},
    ${sql.minuteResetMs},
    ${sql.dayLimit},
    ${sql.dayAdmitted},
    ${sql.dayResetMs},
    ${sql.clockWentBack},
    ${sql.barredUntilMs}
  ) || ']'`;

/** Reads the rows that an admission statement answers, one for each secret it decided about. */
export const parseAdmission = (rows: readonly (readonly [told: string])[]): readonly DecidedSecret[] =>
  (JSON.parse(`[${rows.map(([told]) => told).join(',')}]`) as Told[]).map(secretOf);

/** Written out member by member: to spread a part of it into the rest took 8 µs a request. */
function secretOf(told: Told): DecidedSecret {
  const state = told[0];
  const keyId = BigInt(told[2]);
  if (state !== 'live') return { position: told[1], keyId, planId: told[3], nowMs: told[4], state };
  return {
    position: told[1],
    keyId,
    planId: told[3],
    nowMs: told[4],
    state,
    granted: told[5],
    refused: told[6],
    minute: { limit: told[7], admitted: told[8], resetAtMs: told[9] },
    day: { limit: told[10], admitted: told[11], resetAtMs: told[12] },
    clockWentBack: told[13] === 1,
    barredUntilMs: told[14],
  };
}
