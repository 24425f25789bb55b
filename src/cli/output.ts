import { stringify } from 'lossless-json';

/** One JSON value for scripts, with every int64 to the digit. */
export const toJson = (value: unknown): string => `${stringify(value, undefined, 2)}\n`;

/** Names and values below each other, for people. */
export function toFacts(facts: Readonly<Record<string, string | number | bigint | null>>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? '-' : String(value)}\n`)
    .join('');
}
