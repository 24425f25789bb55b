/**
 * The rate-limit windows of a key, shortest first, listed only here. Their names appear in headers,
 * messages, metrics, `GET /v1/usage` and column names: `requests_per_minute` of plans and keys, `minute` (its start),
 * `minute_admitted` and `minute_refused` of the counters.
 *
 * - `counted`: the counters have its start and its counts; the next request starts a new window.
 * - `recorded`: the UTC day, whose counts become history (`api_key_usage`) when it is over.
 * - `summed`: a UTC calendar window that sums its days. The counters have the sum of its history (`month_before`) and the
 *   `month` it is for; a trigger on `api_key_usage` maintains it.
 *
 * If two exhausted windows reset at the same time, the longer one is reported.
 */
export const WINDOWS = [
  { name: 'minute', seconds: 60, kind: 'counted', isRequired: true },
  { name: 'day', seconds: 86_400, kind: 'recorded', isRequired: true },
  { name: 'month', seconds: 31 * 86_400, kind: 'summed', isRequired: false },
] as const satisfies readonly WindowDeclaration[];

interface WindowDeclaration {
  readonly name: string;
  /** Its length; of a calendar window, the maximum. */
  readonly seconds: number;
  readonly kind: 'counted' | 'recorded' | 'summed';
  /** Whether each key has a limit for it, its own or that of its plan. */
  readonly isRequired: boolean;
}

/** A window of a key, as it is declared. */
export type Window = (typeof WINDOWS)[number];

/** The name of a window of a key. */
export type KeyWindow = Window['name'];

/** The window whose history is summed up. */
export const RECORDED = 'day' satisfies KeyWindow;

type RequiredWindow = Extract<Window, { readonly isRequired: true }>['name'];

/** A value for each window of a key. */
export type PerWindow<Part> = Readonly<Record<RequiredWindow, Part> & Partial<Record<KeyWindow, Part>>>;

/** `Minute`: member names contain window names, too, such as `perMinute`. */
export const capitalized = (name: KeyWindow): Capitalize<KeyWindow> =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}` as Capitalize<KeyWindow>;

/** The length in seconds of the window ending at `endMs`. */
export function lengthOf({ kind, seconds }: Window, endMs: number): number {
  if (kind !== 'summed') return seconds;
  const end = new Date(endMs);
  return (endMs - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1)) / 1000;
}
