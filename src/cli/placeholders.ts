import { InvalidArgumentError } from 'commander';
import { INT64_MAX, parseInt64 } from '../database/int64.js';

/** A key by its id, or by its prefix, which customers know. */
export type KeyReference = { readonly id: bigint } | { readonly prefix: string };

/** Undefined for a text that is neither an id nor a key. */
export function toKeyReference(text: string): KeyReference | undefined {
  const id = parseInt64(text);
  if (id !== undefined) return { id };
  const [prefix] = /^psk_[0-9A-Za-z]{8}/.exec(text) ?? [];
  return prefix === undefined ? undefined : { prefix };
}

/** A parser that rejects invalid input. */
const parser =
  <Value>(read: (text: string) => Value | undefined, wanted: string) =>
  (text: string): Value => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be ${wanted}`);
  };

const integerTo = (max: number, or = ''): ((text: string) => number) =>
  parser((text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= 1 && value <= max ? value : undefined;
  }, `an integer from 1 to ${max}${or}.`);

const INTEGER_MAX = 2_147_483_647;

export const positiveInteger = integerTo(INTEGER_MAX);

export const instant = parser((text) => {
  // Without an offset the time would depend on the time zone of the machine, and `new Date` reads 30 February as 2 March.
  const [, day = ''] = /^([+-]?\d+-\d\d-\d\d)\S*(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const [value, midnight] = [new Date(text), new Date(`${day}T00:00:00Z`)];
  const isTime = ![value, midnight].some((date) => Number.isNaN(date.getTime()));
  return isTime && midnight.toISOString().startsWith(day) ? value : undefined;
}, 'a valid time with an offset, such as 2027-01-31T00:00:00Z.');

const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** Seconds of `90s`, `30m`, `24h`, `7d`, `2w` or `0`. More than ten years is a typo. */
const duration = parser((text) => {
  const [, digits, unit] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(digits) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
  return seconds <= 3653 * UNIT_SECONDS.d ? seconds : undefined;
}, 'a duration such as 30m, 24h or 7d, or 0.');

/** The placeholder of an argument or option determines how its value is parsed, and its help. */
export const PLACEHOLDERS: Readonly<
  Record<
    string,
    {
      readonly says?: string;
      readonly choices?: readonly string[];
      readonly parse?: (text: string) => unknown;
    }
  >
> = {
  key: {
    says: 'id of the key, or its first 12 characters (psk_…)',
    parse: parser(
      toKeyReference,
      'an id such as 7, or the first 12 characters of a key, such as psk_8QvR2mXa.',
    ),
  },
  plan: { says: 'id of the plan (petstore plans list)' },
  customer: { says: "the customer's id in another system, such as crm-4711" },
  id: {
    parse: parser((text) => {
      const id = parseInt64(text);
      return id !== undefined && id >= 1n && id < INT64_MAX ? id : undefined;
    }, 'an identifier, at least 1.'),
  },
  rows: { parse: positiveInteger },
  requests: { parse: positiveInteger },
  'requests-or-none': {
    parse: (text) => (text === 'none' ? text : integerTo(INTEGER_MAX, ', or none')(text)),
  },
  'requests-or-plan': {
    parse: (text) => (text === 'plan' ? text : integerTo(INTEGER_MAX, ', or plan')(text)),
  },
  days: { parse: integerTo(36_500) },
  percent: { parse: integerTo(100) },
  time: { parse: instant },
  expiry: {
    says: 'such as 2027-01-31T00:00:00Z, or `never`',
    parse: (text) => (text === 'never' ? null : instant(text)),
  },
  access: { choices: ['read', 'write'] },
  state: { choices: ['live', 'suspended', 'banned', 'expired', 'revoked', 'unissued'] },
  duration: { parse: duration },
  /** A time, or how long ago. */
  'time-or-ago': {
    parse: (text) =>
      /^\d+[smhdw]$/.test(text) ? new Date(Date.now() - duration(text) * 1000) : instant(text),
  },
};
