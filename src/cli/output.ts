import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { stringify } from 'lossless-json';
import stringWidth from 'string-width';

/** A row of the database. */
export type Row = Readonly<Record<string, unknown>>;

/** One JSON value for scripts, with every int64 exact. */
export const toJson = (value: unknown): string => `${stringify(value, undefined, 2)}\n`;

/** Names and values below each other, for people. */
export function toFacts(facts: Row): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}\n`)
    .join('');
}

/** A value for people. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  const text = typeof value === 'string' ? value : (stringify(value) ?? '');
  // Instants without their milliseconds, in the form in which options take them.
  return printable(text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z'));
}

/** The title of a column. */
type Column = string | { readonly right: string };

/** A column that is aligned to the right, as numbers are. */
export const right = (title: string): Column => ({ right: title });

const titleOf = (column: Column): string => (typeof column === 'string' ? column : column.right);

/** Rows as a table whose columns are named as those of the rows, for people. */
export const toRowTable = (columns: readonly Column[], rows: readonly Row[]): string =>
  toTable(
    columns,
    rows.map((row) => columns.map((column) => shown(row[titleOf(column)]))),
  );

/** Aligned columns below their titles, for people. */
export function toTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map(titleOf);
  const widths = titles.map((title, index) =>
    rows.reduce((width, row) => Math.max(width, displayWidth(row[index] ?? '')), displayWidth(title)),
  );
  const line = (cells: readonly string[]): string => {
    const padded = cells.map((cell, index) => {
      const room = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(cell)));
      return typeof columns[index] === 'string' ? cell + room : room + cell;
    });
    return `${padded.join('  ').trimEnd()}\n`;
  };
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}

/** Writes, and waits while the reader is slower. */
export async function writeTo(stream: Writable, text: string): Promise<void> {
  if (!stream.write(text)) await once(stream, 'drain');
}

/** The columns that a text takes in a terminal. ASCII needs no look at each character, which takes 5 µs a cell. */
const displayWidth = (text: string): number => (/^[ -~]*$/.test(text) ? text.length : stringWidth(text));

/** What a terminal would take for a command, and what would break a table's lines. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text with its control characters written out, as `\n` and `\u001b`. */
export const printable = (text: string): string => text.replaceAll(CONTROL, escape);

function escape(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
