import { InvalidArgumentError } from 'commander';

/** The option of commands whose output scripts read. */
export interface JsonOption {
  readonly json?: true;
}

/** Help text that shows how a command is used, below its options. */
export const examples = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;

/** Describes a limit of a key's own. */
export const INSTEAD_OF_PLAN = "instead of the plan's number; required on a custom plan";

const INT4_MAX = 2_147_483_647;

export const positiveInteger = (text: string): number => integerTo(INT4_MAX, text);

/** A hundred years: nothing is stored for longer. */
const DAYS_MAX = 36_500;

export const dayCount = (text: string): number => integerTo(DAYS_MAX, text);

function integerTo(max: number, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
}

/** A limit of the key's own, or the word for its plan's limit. */
export const ownLimit = (text: string): number | 'plan' => (text === 'plan' ? text : positiveInteger(text));

export function instant(text: string): Date {
  const value = new Date(text);
  // Without a zone the time would mean another instant on each machine.
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  if (hasZone && !Number.isNaN(value.getTime()) && isDayOfItsMonth(text)) return value;
  throw new InvalidArgumentError(
    'It must be a time of a day that there is, with its zone, such as 2027-01-31T00:00:00Z.',
  );
}

/** `new Date` reads the 30th of February as the 2nd of March. */
function isDayOfItsMonth(text: string): boolean {
  const [day = ''] = /^[+-]?\d+-\d\d-\d\d/.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
/** Ten years: a longer time is a slip of the keyboard. */
const DURATION_SECONDS_MAX = 3653 * UNIT_SECONDS.d;

/** Seconds of a time span such as `90s`, `30m`, `24h`, `7d`, `2w` or `0`. */
export function duration(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(digits) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  if (seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError('It must be a time span such as 30m, 24h or 7d, or 0.');
}
