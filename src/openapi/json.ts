import { parse, stringify } from 'lossless-json';
import { stringify as stringifyYaml } from 'yaml';

/** A JSON object whose integers may be `bigint`. */
export type Json = Readonly<Record<string, unknown>>;

/** Every digit of a `bigint`, and a `Date` as the service writes it. */
export const toJson = (value: unknown): string => stringify(value, undefined, 2) ?? '';

/** The same value, parsed from its JSON, so that both forms of the document are equal. */
export function toYaml(value: unknown): string {
  const plain = parse(toJson(value), undefined, (digits) =>
    /^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits),
  );
  // Quoted wherever an older YAML would read something else than text, such as a date.
  return stringifyYaml(plain, { aliasDuplicateObjects: false, compat: 'yaml-1.1', lineWidth: 100 });
}
