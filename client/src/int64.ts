import { InvalidInputError } from './error.js';
import { INT64_NAMES } from './generated/int64.js';

/** The type of 64-bit integers in results. A `number` holds integers up to 2^53 only, a `string` survives `JSON.stringify`. */
export type Int64 = 'string' | 'bigint' | 'number';

/** A 64-bit integer as an argument. */
export type Int64Like = string | bigint | number;

/** The type that belongs to an `Int64`. */
export interface Int64Types {
  readonly string: string;
  readonly bigint: bigint;
  readonly number: number;
}

/** The name of a 64-bit integer: one of the document, or an identifier of a later release. @internal */
export const isInt64 = (name: string): boolean => INT64_NAMES.has(name) || name.endsWith('Id');

/** A member with an integer value; other strings are matched to skip their contents. */
const STRING_AND_INTEGER = /"((?:[^"\\]|\\.)*)"(?:(\s*:\s*)(-?\d+)(?![\d.eE]))?/g;

/** Marks the digits of a 64-bit integer on their way through `JSON.parse`. No string of the service has this character. */
const MARK = '\0';

/**
 * Parses JSON, with the 64-bit integers in it as `int64`. Their digits are quoted before parsing, because Node.js 20 and some browsers
 * lack `context.source` in `JSON.parse`.
 *
 * @throws RangeError for one beyond 2^53 if `int64` is `number`
 * @internal
 */
export function parseJson(text: string, int64: Int64): unknown {
  const quoted = text.replaceAll(
    STRING_AND_INTEGER,
    (all: string, name: string, colon: string | undefined, digits: string | undefined) =>
      colon !== undefined && digits !== undefined && isInt64(name)
        ? `"${name}"${colon}"\\u0000${digits}"`
        : all,
  );
  return JSON.parse(quoted, (name, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? convert(name, value.slice(1), int64) : value,
  );
}

function convert(name: string, digits: string, int64: Int64): Int64Like {
  if (int64 === 'string') return digits;
  if (int64 === 'bigint') return BigInt(digits);
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(`${name} is ${digits}, beyond safe numbers: use int64 'string' or 'bigint'.`);
}

/** Writes a flat object, with every 64-bit integer as an exact JSON number. Undefined members are left out. @internal */
export function writeJson(members: object): string {
  const written = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]: [string, unknown]) => {
      const text = isInt64(name) ? digitsOf(name, value as Int64Like) : JSON.stringify(value);
      return `${JSON.stringify(name)}:${text}`;
    });
  return `{${written.join(',')}}`;
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;

/**
 * The digits of a 64-bit integer, in the service's format.
 *
 * @throws InvalidInputError for anything but an integer, and for a number that may have been rounded
 * @internal
 */
export function digitsOf(name: string, value: Int64Like): string {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new InvalidInputError(
      name,
      'is beyond 2^53, where numbers are rounded: pass a string or a bigint.',
    );
  const digits = String(value);
  if (!INTEGER.test(digits))
    throw new InvalidInputError(name, 'must be an integer, as a string, a bigint or a number.');
  return digits;
}
