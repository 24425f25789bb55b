import { InvalidArgumentError } from 'commander';
import { INT64_MAX, parseInt64 } from '../database/int64.js';

/** The option of every command, for scripts. */
export interface JsonOption {
  readonly json?: true;
}

/** Help text with an example, below the options. */
export const examples = (...lines: readonly string[]): string =>
  `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map((line) => `  ${line}`).join('\n')}`;

/** Describes the option for a key's own limit. */
export const OWN_LIMIT = "the key's own limit, instead of the plan's; required on a custom plan";

/** Describes the option for a customer. */
export const CUSTOMER = "the customer's id in another system, such as crm-4711";

const INT4_MAX = 2_147_483_647;

export const positiveInteger = (text: string): number => integerTo(INT4_MAX, text);

/** An identifier that a sequence may have given. */
export function givenId(text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined && id >= 1n && id < INT64_MAX) return id;
  throw new InvalidArgumentError('It must be an identifier, at least 1.');
}

/** A hundred years: more than is ever stored. */
const DAYS_MAX = 36_500;

export const dayCount = (text: string): number => integerTo(DAYS_MAX, text);

export const percent = (text: string): number => integerTo(100, text);

function integerTo(max: number, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${max}.`);
}

/** A limit of the key's own, or `plan` for the plan's limit. */
export const ownLimit = (text: string): number | 'plan' => (text === 'plan' ? text : positiveInteger(text));

export function instant(text: string): Date {
  const value = new Date(text);
  // Without an offset the time would depend on the machine's time zone.
  const hasZone = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
  if (hasZone && !Number.isNaN(value.getTime()) && isCalendarDate(text)) return value;
  throw new InvalidArgumentError('It must be a valid time with an offset, such as 2027-01-31T00:00:00Z.');
}

/** `new Date` accepts 30 February and reads it as 2 March. */
function isCalendarDate(text: string): boolean {
  const [day = ''] = /^[+-]?\d+-\d\d-\d\d/.exec(text) ?? [];
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day);
}

/** A time, or how long ago. */
export const since = (text: string): Date =>
  /^\d+[smhdw]$/.test(text) ? new Date(Date.now() - duration(text) * 1000) : instant(text);

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
/** Ten years: a longer duration is a typing error. */
const DURATION_SECONDS_MAX = 3653 * UNIT_SECONDS.d;

/** Seconds of a duration such as `90s`, `30m`, `24h`, `7d`, `2w` or `0`. */
export function duration(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(digits) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  if (seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError('It must be a duration such as 30m, 24h or 7d, or 0.');
}
