/**
 * The windows of the limits of a key, from the shortest to the longest: nothing else lists them. Their names are those in headers,
 * messages, metrics and `GET /v1/usage`, and columns are called after them: `requests_per_minute` of plans and keys, `minute` (its begin),
 * `minute_admitted` and `minute_refused` of the counters.
 *
 * - `counted`: the counters have its begin and its counts, and it begins anew with the next request.
 * - `recorded`: the UTC day, whose counts become history (`api_key_usage`) when it is over.
 * - `summed`: a calendar one in UTC, of what the day has admitted in it. The counters have the sum of its history (`month_before`) and the
 *   `month` for which that holds; a trigger of `api_key_usage` keeps it.
 *
 * Of two that are used up until the same instant, the longer one is reported.
 */
export const WINDOWS = [
  { name: 'minute', seconds: 60, kind: 'counted', isRequired: true },
  { name: 'day', seconds: 86_400, kind: 'recorded', isRequired: true },
  { name: 'month', seconds: 31 * 86_400, kind: 'summed', isRequired: false },
] as const satisfies readonly WindowDeclaration[];

interface WindowDeclaration {
  readonly name: string;
  /** Its length, or the longest one of a calendar window. */
  readonly seconds: number;
  readonly kind: 'counted' | 'recorded' | 'summed';
  /** Whether each key has a limit for it, its own or that of its plan. */
  readonly isRequired: boolean;
}

/** A window of a key, as it is declared. */
export type Window = (typeof WINDOWS)[number];

/** The name of a window of a key. */
export type KeyWindow = Window['name'];

/** The one whose history calendar windows sum up. */
export const RECORDED = 'day' satisfies KeyWindow;

type RequiredWindow = Extract<Window, { readonly isRequired: true }>['name'];

/** Something of each window that a key has. */
export type OfKey<Part> = Readonly<Record<RequiredWindow, Part> & Partial<Record<KeyWindow, Part>>>;

/** `Minute`: names of members are called after windows, too, such as `perMinute`. */
export const capitalized = (name: KeyWindow): Capitalize<KeyWindow> =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}` as Capitalize<KeyWindow>;

/** The length in seconds of the window that ends then. */
export function lengthOf({ kind, seconds }: Window, endMs: number): number {
  if (kind !== 'summed') return seconds;
  const end = new Date(endMs);
  return (endMs - Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1)) / 1000;
}
