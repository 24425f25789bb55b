import { INT64_MEMBERS } from './generated/int64-members.js';

const INT64: ReadonlySet<string> = new Set(INT64_MEMBERS);

/** A string with what follows it when it names a member whose value is an integer. */
const STRING_AND_INTEGER = /("(?:[^"\\]|\\.)*")(?:(\s*:\s*)(-?\d+)(?![\d.eE]))?/g;

/**
 * Reads JSON with the int64 members of the interface as `bigint`, to the digit. Not by `context.source` of `JSON.parse`,
 * which Node.js 20 and some browsers lack: their digits are put in quotes before they are parsed.
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

/** Writes a flat object, with a `bigint` as a number to the digit; what is undefined is left out. */
export function writeExact(members: object): string {
  const written = Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]: [string, unknown]) =>
        `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`,
    );
  return `{${written.join(',')}}`;
}
