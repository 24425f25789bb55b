import { isUtf8 } from 'node:buffer';
import { visit } from 'jsonc-parser';
import { ApiError } from '../errors/api-error.js';

/**
 * Parses a JSON body, in a time that grows with its length alone. No digit of the body's own members is lost: an integer is a number
 * or, where a double could round it, a bigint. Members that are repeated (RFC 8259 section 4) and what could reach a prototype are
 * rejected, because programs differ in what they make of them.
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
    // The parser's own message would quote what was sent, and names the place only sometimes.
    const message = text === '' ? 'The body is empty.' : `The body is not valid JSON${placeOf(text)}.`;
    throw new ApiError('malformed_json', message, { cause: error });
  }
}

/** The line and column of the first part that is not JSON; nothing of a text that is nested too deep to be looked at. */
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
    // Also that of the stack.
    if (!(error instanceof RangeError)) throw error;
  }
  return place;
}

/** What reads the value next may call itself for each level. */
const DEPTH_MAX = 500;

/** An object or an array that is open. */
interface Level {
  /** The member whose value it is; empty for the body itself and in an array. */
  readonly name: string;
  /** The names that an object has so far; an array has none. */
  readonly names: Set<string> | undefined;
}

/**
 * Looks at all names and levels of a valid JSON text. Returns the numbers among the body's own members that a double could round.
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

/** The digits of the longest int64, which is as far as an exponent is worked out: `1e999999999` must cost nothing. */
const INT64_DIGITS_MAX = 19;

/** An integer as a bigint if it can be an int64; anything else as a number that is no integer. */
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

/** A loop and not `/0+$/`, which takes quadratic time over a long run of zeros that a last digit ends. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
