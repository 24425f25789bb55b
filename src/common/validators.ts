import { Transform, type TransformFnParams } from 'class-transformer';
import { ValidateBy, ValidateIf, type ValidationOptions } from 'class-validator';
import { int64OfJson, isInt64 } from './int64.js';

/** The member may be absent; `null` is a value like another and has to fit. */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_input, value) => value !== undefined);

/** Reads a JSON number as the int64 it stands for; what is none is left to `@IsInt64()`. */
export const FromJsonInt64 = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams): unknown => int64OfJson(value) ?? (value as unknown));

export const IsInt64 = (options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isInt64',
      validator: {
        validate: isInt64,
        defaultMessage: (validation) => `${validation?.property} must be a 64-bit integer`,
      },
    },
    options,
  );

/** Reads a query value that is a plain decimal integer; anything else is left to the validator. */
export const FromPlainInteger = (): PropertyDecorator =>
  Transform(({ value }: TransformFnParams): unknown =>
    typeof value === 'string' && /^(?:0|-?[1-9]\d{0,15})$/.test(value) ? Number(value) : value,
  );

/** Anything but white space, as Unicode and JavaScript see it. */
const VISIBLE = /[^\s\u0085]/u;
/** U+0000, which PostgreSQL cannot hold, and lone surrogates, which it would change. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Text that PostgreSQL keeps exactly as it was sent: up to `codePointsMax` code points, not only white space. */
export const IsStorableText = (codePointsMax: number, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isStorableText',
      constraints: [codePointsMax],
      validator: {
        validate: (value: unknown) => isStorableText(value, codePointsMax),
        defaultMessage: (validation) =>
          `${validation?.property} must be a string of 1 to ${codePointsMax} characters, not only white space, ` +
          'without U+0000 and lone surrogates',
      },
    },
    options,
  );

function isStorableText(value: unknown, codePointsMax: number): boolean {
  if (typeof value !== 'string' || !VISIBLE.test(value) || UNSTORABLE.test(value)) return false;
  // A code point takes one or two code units, so most texts need no counting.
  if (value.length <= codePointsMax) return true;
  return value.length <= 2 * codePointsMax && Array.from(value).length <= codePointsMax;
}
