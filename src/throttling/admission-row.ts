/**
 * One row of an admission statement, for one secret of the batch that exists. Times are ms of the database's clock. The members from
 * `granted` on are missing unless the key is live, and the last one where nothing bars the key.
 */
export type AdmissionRow = readonly [
  /** `uncounted` is a live key without a row of counters. */
  state: 'live' | 'uncounted' | 'revoked' | 'expired',
  /** The place of the secret in the statement's lists, from 1 on. */
  position: number,
  /** As text: it may be more than a double holds. */
  keyId: string,
  planId: string,
  nowMs: number,
  /** How many of the requests are admitted. */
  granted: number,
  /** How many of the others are counted as rejections; the rest finds the key banned. */
  refused: number,
  minuteLimit: number,
  /** What the window had admitted before the batch. */
  minuteAdmitted: number,
  minuteResetMs: number,
  dayLimit: number,
  dayAdmitted: number,
  dayResetMs: number,
  clockWentBack: 0 | 1,
  barredUntilMs?: number,
];

type Member =
  | 'state'
  | 'position'
  | 'keyId'
  | 'planId'
  | 'nowMs'
  | 'granted'
  | 'refused'
  | 'minuteLimit'
  | 'minuteAdmitted'
  | 'minuteResetMs'
  | 'dayLimit'
  | 'dayAdmitted'
  | 'dayResetMs'
  | 'clockWentBack'
  | 'barredUntilMs';

/** SQL for an `AdmissionRow` as JSON, from SQL for each member. Nulls are left out: only the last members, or unread ones, may be null. */
export const selectAdmissionRow = (sql: Readonly<Record<Member, string>>): string => `
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

export const parseAdmission = (rows: readonly (readonly [json: string])[]): readonly AdmissionRow[] =>
  JSON.parse(`[${rows.map(([json]) => json).join(',')}]`) as AdmissionRow[];
