import { isUtf8 } from 'node:buffer';
import { parse as parseLossless } from 'lossless-json';
import { ApiError } from '../common/errors/api-error.js';

/**
 * Parses a JSON body without losing a digit: an integer is a number or, where a double could round it, a bigint.
 * A member that is repeated with another value and what could reach a prototype are rejected, because programs differ in what
 * they make of them.
 *
 * @throws ApiError malformed_json
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new ApiError('malformed_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  try {
    assertNotDeep(text);
    return parseFast(text) ?? parseExact(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The parser's own message would quote what was sent.
    throw new ApiError('malformed_json', undefined, { cause: error });
  }
}

/** The exact parser calls itself for each level, and was seen to run out of stack at eight times as many. */
const DEPTH_MAX = 500;

/** Else it would depend on what else is on the stack whether a body can be read. */
function assertNotDeep(text: string): void {
  // Each level takes two characters.
  if (text.length <= 2 * DEPTH_MAX) return;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (isInText) {
      if (mark === '\\') at += 1;
      else if (mark === '"') isInText = false;
    } else if (mark === '"') {
      isInText = true;
    } else if (mark === '}' || mark === ']') {
      depth -= 1;
    } else if ((mark === '{' || mark === '[') && (depth += 1) > DEPTH_MAX) {
      throw new ApiError('malformed_json', `The body is nested more than ${DEPTH_MAX} levels deep.`);
    }
  }
}

/** Only these can hold a number that a double rounds: 16 digits or more (with or without a point), or an exponent. */
const MAY_ROUND = /[\d.]{16}|\d[eE]/;

/**
 * The value as `JSON.parse` reads it, or undefined when only the exact parser can decide. A text has at least one colon
 * for each member it writes, so an object with as many members as its text has colons is flat and repeats none. (A
 * name with a colon in it merely takes the exact way.)
 */
function parseFast(text: string): unknown {
  if (MAY_ROUND.test(text)) return undefined;
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const isFlatAndWhole =
    Object.keys(value).length === countColons(text) && !Object.hasOwn(value, '__proto__');
  return isFlatAndWhole ? value : undefined;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

function parseExact(text: string): unknown {
  return parseLossless(text, rejectPrototypes, {
    parseNumber: exactNumber,
    onDuplicateKey: ({ key }) => {
      throw new ApiError(
        'malformed_json',
        `The body contains the member ${named(key)} twice, with different values.`,
      );
    },
  });
}

function rejectPrototypes(key: string, value: unknown): unknown {
  const reachesPrototype =
    key === '__proto__' ||
    (key === 'constructor' &&
      typeof value === 'object' &&
      value !== null &&
      Object.hasOwn(value, 'prototype'));
  if (reachesPrototype) {
    throw new ApiError('malformed_json', `The body contains the member ${named(key)}, which is not allowed.`);
  }
  return value;
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
