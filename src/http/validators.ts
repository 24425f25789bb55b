import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { getMetadataStorage, isArray, isIn, isInt, isString, ValidateBy, ValidateIf } from 'class-validator';
import { int64OfJson, isInt64, parseInt64 } from '../database/int64.js';

/** The member may be absent; `null` counts as a value and must be valid. */
export const MayBeAbsent = (): PropertyDecorator =>
  applyDecorators(
    ValidateIf((_input, value) => value !== undefined),
    ApiProperty({ required: false }),
  );

const INT64 = { type: 'integer', format: 'int64' } as const;

/** Bounds that JSON numbers hold exactly. */
interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** An int64 in a body, where it is a JSON number. Values of a query are text. */
export const IsInt64 = (bounds?: Bounds): PropertyDecorator =>
  Int64((value) => int64OfJson(value) ?? value, bounds);

/** A query value that is a plain decimal int64. */
export const IsInt64Text = (): PropertyDecorator => Int64(int64OfText);

function Int64(read: (value: unknown) => unknown, bounds: Bounds = {}): PropertyDecorator {
  const { minimum = -Infinity, maximum = Infinity } = bounds;
  const range = `${minimum === -Infinity ? '' : `, at least ${minimum}`}${maximum === Infinity ? '' : `, at most ${maximum}`}`;
  return applyDecorators(
    Transform(({ value }: TransformFnParams): unknown => read(value)),
    ValidatedProperty({
      name: 'isInt64',
      isValid: (value) => isInt64(value) && value >= minimum && value <= maximum,
      message: `must be a 64-bit integer${range}`,
      schema: { ...INT64, ...bounds },
    }),
  );
}

/** A repeatable query parameter of plain decimal int64s, at most `countMax` of them. */
export const AreInt64Texts = (countMax: number): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: TransformFnParams): unknown => value && [value].flat().map(int64OfText)),
    ValidatedProperty({
      name: 'areInt64Texts',
      isValid: (values) => isArray(values) && values.length <= countMax && values.every(isInt64),
      message: `must be a 64-bit integer, given at most ${countMax} times. For several, repeat it: $property=1&$property=2`,
      schema: { type: 'array', items: INT64, maxItems: countMax },
    }),
  );

const int64OfText = (value: unknown): unknown =>
  typeof value === 'string' ? (parseInt64(value) ?? value) : value;

/** A query value that is a plain decimal integer of this range. */
export const IsIntegerFromTo = (minimum: number, maximum: number): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: TransformFnParams): unknown =>
      typeof value === 'string' && PLAIN_INTEGER.test(value) ? Number(value) : value,
    ),
    ValidatedProperty({
      name: 'isIntegerFromTo',
      isValid: (value) => isInt(value) && Number(value) >= minimum && Number(value) <= maximum,
      message: `must be an integer from ${minimum} to ${maximum}`,
      schema: { type: 'integer', minimum, maximum },
    }),
  );

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,15})$/;

/** One of a closed set of words, which the OpenAPI document may describe under a name. */
export const IsOneOf = (schema: EnumSchema | Pick<EnumSchema, 'enum'>): PropertyDecorator =>
  ValidatedProperty({
    name: 'isOneOf',
    isValid: (value) => isIn(value, schema.enum),
    message: `must be one of ${schema.enum.join(', ')}`,
    schema,
  });

/** A repeatable query parameter of these words. */
export const IsOneOrMoreOf = (schema: EnumSchema): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: TransformFnParams): unknown => value && [value].flat()),
    ValidatedProperty({
      name: 'isOneOrMoreOf',
      isValid: (values) => isArray(values) && values.every((value) => isIn(value, schema.enum)),
      message: `must be one of ${schema.enum.join(', ')}. For several, repeat it: ${schema.enum
        .slice(0, 2)
        .map((word) => `$property=${word}`)
        .join('&')}`,
      schema: { ...schema, isArray: true },
    }),
  );

/** A closed set of words, as `@ApiProperty()` takes it. */
export interface EnumSchema {
  readonly enum: string[];
  readonly enumName: string;
  readonly enumSchema: { readonly description: string };
}

/** A query value that is given at most once. */
export const IsGivenOnce = (): PropertyDecorator =>
  ValidatedProperty({
    name: 'isGivenOnce',
    isValid: isString,
    message: 'may be given only once',
    schema: { type: 'string' },
  });

/** Anything but white space, as Unicode and JavaScript see it. */
const VISIBLE = /[^\s\u0085]/u;
/** U+0000, which PostgreSQL cannot hold, and lone surrogates, which it would change. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Text that PostgreSQL stores exactly as it was sent: up to `codePointsMax` code points, not only white space. */
export const IsStorableText = (codePointsMax: number): PropertyDecorator =>
  ValidatedProperty({
    name: 'isStorableText',
    isValid: (value) => isStorableText(value, codePointsMax),
    message:
      `must be a string of 1 to ${codePointsMax} characters, not only white space, ` +
      'without U+0000 or lone surrogates',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: codePointsMax,
      // At least one character that is not white space, and no U+0000.
      pattern: String.raw`^[^\u0000]*[^\s\u0000\u0085][^\u0000]*$`,
    },
  });

function isStorableText(value: unknown, codePointsMax: number): boolean {
  if (typeof value !== 'string' || !VISIBLE.test(value) || UNSTORABLE.test(value)) return false;
  // A code point takes one or two code units, so most texts need no counting.
  if (value.length <= codePointsMax) return true;
  return value.length <= 2 * codePointsMax && Array.from(value).length <= codePointsMax;
}

/** The JSON type that a rule takes. A query has an array where a parameter is repeated. */
export interface RuleContext {
  readonly takes: string;
}

function takenBy({ type, isArray: isRepeated }: ApiPropertyOptions): string {
  if (isRepeated === true) return 'array';
  if (type === 'integer') return 'number';
  return typeof type === 'string' ? type : 'string';
}

interface ValidatedPropertyOptions {
  readonly name: string;
  readonly isValid: (value: unknown) => boolean;
  /** Follows the name of the property. */
  readonly message: string;
  /** The property in the OpenAPI document. */
  readonly schema: ApiPropertyOptions;
}

/** Validates a property, and documents it. */
function ValidatedProperty({ name, isValid, message, schema }: ValidatedPropertyOptions): PropertyDecorator {
  const context: RuleContext = { takes: takenBy(schema) };
  return applyDecorators(
    ValidateBy(
      {
        name,
        validator: { validate: isValid, defaultMessage: () => `$property ${message}` },
      },
      { context },
    ),
    ApiProperty(schema),
  );
}

/** The names of the members that a DTO validates. */
export const membersOf = (dto: new () => unknown): readonly string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(dto, '', false, false)
      .map(({ propertyName }) => propertyName),
  ),
];
