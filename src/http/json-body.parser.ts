import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { ApiError } from '../errors/api-error.js';

/**
 * Parses a JSON body in linear time. No digit of a top-level member is lost: an integer is a number
 * or, if a double could round it, a bigint. Duplicate members (RFC 8259 section 4) and names that could reach a prototype are
 * rejected, because programs treat them differently.
 *
 * @throws ApiError malformed_json
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const value = parse(text);
  for (const [name, exact] of inspect(text)) (value as Record<string, unknown>)[name] = exact;
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message would quote the input, and only sometimes gives the position.
    const message = text === '' ? 'The body is empty.' : `The body is not valid JSON${placeOf(text)}.`;
    throw new ApiError('malformed_json', message, { cause: error });
  }
}

/** The line and column of the first syntax error; empty for a text that is nested too deeply to parse. */
function placeOf(text: string): string {
  let place = '';
  const onError = (_code: number, _offset: number, _length: number, line: number, column: number): never => {
    place = `: see line ${line + 1}, column ${column + 1}`;
    // Ends the visit: the first error is enough, and a text may have thousands.
    throw new RangeError(place);
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    // Also a stack overflow.
    if (!(error instanceof RangeError)) throw error;
  }
  return place;
}

/** Later readers of the value may be recursive. */
const DEPTH_MAX = 500;

/** An object or an array that is open. */
interface Level {
  /** The member whose value it is; empty for the body itself and in an array. */
  readonly name: string;
  /** The names that an object has so far; an array has none. */
  readonly names: Set<string> | undefined;
}

/**
 * Checks all names and levels of a valid JSON text. Returns the top-level numbers that a double could round.
 *
 * @throws ApiError malformed_json
 */
function inspect(text: string): readonly (readonly [name: string, exact: bigint | number])[] {
  const exact: [string, bigint | number][] = [];
  const levels: Level[] = [];
  let name = '';
  const enter = (names?: Set<string>): void => {
    if (levels.push({ name, names }) > DEPTH_MAX)
      throw new ApiError('malformed_json', `The body is nested more than ${DEPTH_MAX} levels deep.`);
    name = '';
  };
  const leave = (): void => {
    levels.pop();
    name = '';
  };
  visit(text, {
    onObjectBegin: () => enter(new Set()),
    onArrayBegin: () => enter(),
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: (property) => addName((name = property), levels.at(-1) as Level),
    onLiteralValue: (value, offset, length) => {
      if (typeof value !== 'number' || levels.length > 1 || levels[0]?.names === undefined) return;
      const digits = text.slice(offset, offset + length);
      if (MAY_ROUND.test(digits)) exact.push([name, exactNumber(digits)]);
    },
  });
  return exact;
}

/** Only these can hold a number that a double rounds: 16 digits or more (with or without a point), or an exponent. */
const MAY_ROUND = /[\d.]{16}|[eE]/;

function addName(name: string, { name: parent, names }: Level): void {
  if (name === '__proto__' || (name === 'prototype' && parent === 'constructor')) {
    const member = name === '__proto__' ? name : parent;
    throw new ApiError(
      'malformed_json',
      `The body contains the member ${named(member)}, which is not allowed.`,
    );
  }
  if (names?.has(name) === true) {
    throw new ApiError('malformed_json', `The body contains the member ${named(name)} twice.`);
  }
  names?.add(name);
}

/** Longer than any name of the interface. */
const NAME_LENGTH_MAX = 40;

const named = (key: string): string =>
  JSON.stringify(key.length > NAME_LENGTH_MAX ? `${key.slice(0, NAME_LENGTH_MAX)}…` : key);

/** The digits of the longest int64, beyond which no exponent is expanded: `1e999999999` must cost nothing. */
const INT64_DIGITS_MAX = 19;

/** An integer as a bigint if it can be an int64; anything else as NaN. */
function exactNumber(text: string): bigint | number {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return 0n;
  const zeros = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (zeros < 0 || significant.length + zeros > INT64_DIGITS_MAX) return Number.NaN;
  return BigInt(sign + significant + '0'.repeat(zeros));
}

/** Not `/0+$/`, which takes quadratic time on a long run of zeros before a last digit. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
