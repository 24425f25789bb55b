import { isDeepStrictEqual } from 'node:util';
import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { parse, stringify } from 'lossless-json';
import { stringify as stringifyYaml } from 'yaml';
import { DESCRIPTION_METADATA } from '../common/route.decorators.js';

/** A JSON object whose integers may be `bigint`. */
export type Json = Readonly<Record<string, unknown>>;

/** Written to the digit, and a `Date` as the service writes it. */
export const toJson = (value: unknown): string => stringify(value, undefined, 2) ?? '';

/** The same value, read back from its JSON, so that both forms of the document say the same. */
export function toYaml(value: unknown): string {
  const plain = parse(toJson(value), undefined, (digits) =>
    /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits),
  );
  // Quoted wherever an older YAML would read something else than text, such as a date.
  return stringifyYaml(plain, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 });
}

/** Schemas that have a `title` are written once, under it, and referred to from everywhere else. */
export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  /** The schema as it is written where it is used. */
  use(schema: Json): Json {
    const { title, ...rest } = schema;
    const written = this.#inside(rest);
    if (typeof title !== 'string') return written;
    const known = this.#schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, written)) {
      throw new Error(`two schemas are called ${title}`);
    }
    this.#schemas.set(title, written);
    return { $ref: `#/components/schemas/${title}` };
  }

  get all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #inside(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === 'items') return [keyword, this.use(value as Json)];
        if (keyword !== 'properties') return [keyword, value];
        const members = Object.entries(value as Readonly<Record<string, Json>>);
        return [keyword, Object.fromEntries(members.map(([name, member]) => [name, this.use(member)]))];
      }),
    );
  }
}

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
