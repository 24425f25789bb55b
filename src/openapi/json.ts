import { parse, parseNumberAndBigInt, stringify } from 'lossless-json';
import { stringify as stringifyYaml } from 'yaml';

/** A JSON object whose integers may be `bigint`. */
export type Json = Readonly<Record<string, unknown>>;

/** An operation as `@nestjs/swagger` reads it from the decorators of its method. */
export interface Operation extends Json {
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly responses: Readonly<Record<string, Json>>;
}

/** The complete document, as much of it as the service reads. */
export interface OpenApi extends Json {
  readonly info: { readonly description?: string };
  readonly servers?: readonly { readonly url: string }[] | undefined;
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Json>> };
}

/** Every digit of a `bigint`, and a `Date` as the service writes it. */
export const toJson = (value: unknown): string => stringify(value, undefined, 2) ?? '';

/** The same value, parsed from its JSON, so that both forms of the document are equal. */
export function toYaml(value: unknown): string {
  const plain = parse(toJson(value), undefined, parseNumberAndBigInt);
  // Quoted wherever an older YAML would read something else than text, such as a date.
  return stringifyYaml(plain, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 });
}
