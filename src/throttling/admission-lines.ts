/** What the admission statement says about one secret of a group that exists. Times are ms of the database's clock. */
export type AdmissionLine = LiveKey | OtherKey;

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

/** Reads the answer of the admission statement. */
export const parseAdmissionLines = (text: string | null): readonly AdmissionLine[] =>
  text === null ? [] : text.split('\n').map(parseLine);

function parseLine(line: string): AdmissionLine {
  const [state = '', position, keyId = '', planId = '', nowMs, ...figures] = line.split(' ');
  const secret = { position: Number(position), keyId: BigInt(keyId), planId, nowMs: Number(nowMs) };
  if (state !== 'live') return { ...secret, state: state as OtherKey['state'] };
  const [
    granted,
    refused,
    minuteLimit,
    minuteAdmitted,
    minuteReset,
    dayLimit,
    dayAdmitted,
    dayReset,
    ...rest
  ] = figures;
  const [clockWentBack, barredUntil] = rest;
  return {
    ...secret,
    state,
    granted: Number(granted),
    refused: Number(refused),
    minute: { limit: Number(minuteLimit), admitted: Number(minuteAdmitted), resetAtMs: Number(minuteReset) },
    day: { limit: Number(dayLimit), admitted: Number(dayAdmitted), resetAtMs: Number(dayReset) },
    clockWentBack: clockWentBack === '1',
    barredUntilMs: barredUntil === undefined ? undefined : Number(barredUntil),
  };
}
