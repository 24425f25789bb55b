import { createRequire } from 'node:module';
import {
  type ClassConstructor,
  type ClassTransformOptions,
  TransformationType,
  type TransformFnParams,
} from 'class-transformer';
import type { defaultMetadataStorage } from 'class-transformer/types/storage.js';
import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type Plain = Readonly<Record<string, unknown>>;

/** A plain object as its DTO; undefined where a rule is broken, and where a value is more than this reads. */
export type QuickReader = (plain: Plain) => object | undefined;

/** What the decorators of a member say. */
interface Member {
  readonly name: string;
  readonly transforms: readonly ((params: TransformFnParams) => unknown)[];
  /** The rules are asked when all of these say so. */
  readonly conditions: readonly ((input: object, value: unknown) => unknown)[];
  readonly rules: readonly ((input: object, value: unknown) => unknown)[];
}

const type = TransformationType.PLAIN_TO_CLASS;

/** What it means to read a DTO, for class-transformer: members that the DTO exposes, and none that is absent. */
export const READ_OPTIONS: ClassTransformOptions = {
  excludeExtraneousValues: true,
  exposeUnsetFields: false,
};

type Storage = Pick<typeof defaultMetadataStorage, (typeof STORAGE_METHODS)[number]>;

const STORAGE_METHODS = [
  'getExposedProperties',
  'findExposeMetadata',
  'findTransformMetadatas',
  'findTypeMetadata',
  'findExcludeMetadata',
] as const;

/** What the decorators of class-transformer have said, which no public function tells; undefined in a release that keeps it elsewhere. */
function loadStorage(): Storage | undefined {
  try {
    const required: unknown = createRequire(import.meta.url)('class-transformer/cjs/storage.js');
    const { defaultMetadataStorage: storage } = required as { defaultMetadataStorage?: Storage };
    return STORAGE_METHODS.every((method) => typeof storage?.[method] === 'function') ? storage : undefined;
  } catch {
    return undefined;
  }
}

const storageOfLibrary = loadStorage();

/**
 * A reader that calls the functions which the decorators of a DTO name: those that class-transformer and class-validator call,
 * but without their search for them at each call, which is a seventh of what a request costs the process. It reads as they do
 * with `READ_OPTIONS`. The exception to public APIs has an entry in docs/decisions.md.
 *
 * @returns undefined for a DTO with decorators that are more than this knows, and where class-transformer's inside is not as expected
 */
export function quickReaderOf(dto: ClassConstructor<object>): QuickReader | undefined {
  return storageOfLibrary && readerBy(storageOfLibrary, dto);
}

function readerBy(transforming: Storage, dto: ClassConstructor<object>): QuickReader | undefined {
  const names = transforming.getExposedProperties(dto, type);
  const rules = rulesOf(dto);
  const isKnown =
    names.length > 0 &&
    names.every((name) => isPlainMember(transforming, dto, name)) &&
    rules.every((rule) => names.includes(rule.propertyName) && isPlainRule(rule));
  if (!isKnown) return undefined;
  const members = names.map((name) => memberOf(transforming, dto, name, rules));

  return (plain) => {
    const input = new dto() as Record<string, unknown>;
    for (const { name, transforms } of members) {
      let value = plain[name];
      if (typeof value === 'object' && value !== null) return undefined;
      for (const transform of transforms) {
        value = transform({ value, key: name, obj: plain, type, options: READ_OPTIONS });
      }
      if (value !== undefined) input[name] = value;
    }
    return members.every((member) => isKept(member, input)) ? input : undefined;
  };
}

type Rule = ReturnType<typeof rulesOf>[number];

const rulesOf = (dto: ClassConstructor<object>) =>
  getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);

const validatorsOf = (rule: Rule) => getMetadataStorage().getTargetValidatorConstraints(rule.constraintCls);

const hasOptions = ({ options }: { readonly options: object | undefined }): boolean =>
  options !== undefined && Object.keys(options).length > 0;

/** One that is neither renamed, nor of a type of its own, nor for some callers only. */
function isPlainMember(transforming: Storage, dto: ClassConstructor<object>, name: string): boolean {
  return (
    !(name in (dto.prototype as object)) &&
    !hasOptions(transforming.findExposeMetadata(dto, name)) &&
    !transforming.findTransformMetadatas(dto, name, type).some(hasOptions) &&
    transforming.findTypeMetadata(dto, name) === undefined &&
    transforming.findExcludeMetadata(dto, name) === undefined
  );
}

/** A condition, or a rule for the value as a whole that answers at once. */
function isPlainRule(rule: Rule): boolean {
  if (rule.type === ValidationTypes.CONDITIONAL_VALIDATION) return true;
  if (rule.type !== ValidationTypes.CUSTOM_VALIDATION) return false;
  const groups = rule.groups as readonly string[] | undefined;
  const isForAll = !rule.each && rule.validateIf === undefined && (groups ?? []).length === 0;
  return isForAll && !validatorsOf(rule).some((validator) => validator.async);
}

function memberOf(
  transforming: Storage,
  dto: ClassConstructor<object>,
  name: string,
  rules: readonly Rule[],
): Member {
  const ofKind = (kind: string): readonly Rule[] =>
    rules.filter((rule) => rule.propertyName === name && rule.type === kind);
  return {
    name,
    transforms: transforming.findTransformMetadatas(dto, name, type).map(({ transformFn }) => transformFn),
    conditions: ofKind(ValidationTypes.CONDITIONAL_VALIDATION).flatMap(
      ({ constraints }) => constraints as Member['conditions'],
    ),
    rules: ofKind(ValidationTypes.CUSTOM_VALIDATION).flatMap((rule) =>
      validatorsOf(rule).map(({ instance }) => (object: object, value: unknown) => {
        const told: ValidationArguments = {
          targetName: dto.name,
          property: name,
          object,
          value,
          constraints: rule.constraints,
        };
        return instance.validate(value, told);
      }),
    ),
  };
}

function isKept({ name, conditions, rules }: Member, input: Plain): boolean {
  const value = input[name];
  if (!conditions.every((condition) => condition(input, value))) return true;
  return rules.every((rule) => rule(input, value) === true);
}
