import { INT64_MEMBERS } from './generated/int64-members.js';

const INT64: ReadonlySet<string> = new Set(INT64_MEMBERS);

/** A string, and the integer after it if the string names a member. */
const STRING_AND_INTEGER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(-?\d+)(?![\d.eE]))?/g;

/**
 * Parses JSON, with the int64 members of the interface as exact `bigint`s. Their digits are quoted before parsing, because
 * Node.js 20 and some browsers lack `context.source` in `JSON.parse`.
 */
export function parseExact(text: string): unknown {
  const quoted = text.replaceAll(
    STRING_AND_INTEGER,
    (all: string, name: string, colon: string | undefined, digits: string | undefined) =>
      colon !== undefined && digits !== undefined && INT64.has(name.slice(1, -1))
        ? `${name}${colon}"${digits}"`
        : all,
  );
  return JSON.parse(quoted, (name, value: unknown) =>
    INT64.has(name) && typeof value === 'string' ? BigInt(value) : value,
  );
}

/** Writes a flat object, with every `bigint` as an exact number. Undefined members are left out. */
export function writeExact(members: object): string {
  const written = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]: [string, unknown]) =>
        `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
    );
  return `{${written.join(',')}}`;
}
