import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { DESCRIPTION_METADATA } from '../http/route.decorators.js';
import type { Json } from './json.js';

/** A member of a DTO: its schema says what its validators accept. */
export interface DtoMember {
  readonly name: string;
  readonly schema: Json;
  /** What it means, where that is not what the same member of an answer means. */
  readonly description?: string | undefined;
  readonly required: boolean;
}

/** What a validator accepts, by its name. One that is not here cannot be documented, and must not go unnoticed. */
const SCHEMAS: Readonly<Record<string, (constraints: readonly unknown[]) => Json>> = {
  isIn: ([values]) => ({ type: 'string', enum: values }),
  isInt: () => ({ type: 'integer' }),
  isInt64: () => ({ type: 'integer', format: 'int64' }),
  isString: () => ({ type: 'string' }),
  isStorableText: ([codePointsMax]) => ({
    type: 'string',
    minLength: 1,
    maxLength: codePointsMax,
    // Something else than white space, and no U+0000.
    pattern: String.raw`^[^\u0000]*[^\s\u0000\u0085][^\u0000]*$`,
  }),
  min: ([minimum]) => ({ minimum }),
  max: ([maximum]) => ({ maximum }),
};

/** The members of a DTO in the order in which they are declared, with what the validators say of them. */
export function membersOf(dto: Type): readonly DtoMember[] {
  const defaults = new dto() as Readonly<Record<string, unknown>>;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))].map((name) => {
    const ownRules = rules.filter(({ propertyName }) => propertyName === name);
    const mayBeAbsent = ownRules.some(({ type }) => type === ValidationTypes.CONDITIONAL_VALIDATION);
    const schema: Json = Object.assign(
      {},
      ...ownRules
        .filter(({ type }) => type === ValidationTypes.CUSTOM_VALIDATION)
        // Decorators act from the last to the first: this is the order in which they are written.
        .toReversed()
        .map((rule) => schemaOfRule(name, rule.name ?? '', (rule.constraints ?? []) as readonly unknown[])),
      defaults[name] !== undefined && { default: defaults[name] },
    );
    return {
      name,
      schema,
      description: Reflect.getMetadata(DESCRIPTION_METADATA, dto.prototype as object, name) as
        string | undefined,
      required: !mayBeAbsent && defaults[name] === undefined,
    };
  });
}

function schemaOfRule(member: string, rule: string, constraints: readonly unknown[]): Json {
  const schema = SCHEMAS[rule];
  if (schema === undefined) throw new Error(`${member}: there is no schema for the validator ${rule}`);
  return schema(constraints);
}
