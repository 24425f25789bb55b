import { stringify } from 'lossless-json';

/** Characters that a terminal would interpret or that would break table rows. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text with its control characters escaped, as `\n` and `\u001b`. */
export const printable = (text: string): string => text.replaceAll(CONTROL, escape);

/** The same for each line of a text. */
export const printableLines = (text: string): string =>
  text.replaceAll(CONTROL, (character) => (character === '\n' ? character : escape(character)));

function escape(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
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

/** The row of a key, secret or plan as in `audit_log`, or its changed columns; null if it was created or deleted. */
export type AuditedRow = Readonly<Record<string, unknown>> | null;

/** `requests_per_minute: 300 → 600` for each member, or the values of a created or deleted row. */
export const describeChange = (before: AuditedRow, after: AuditedRow): readonly string[] =>
  Object.entries(after ?? before ?? {}).map(([name, value]) =>
    before !== null && after !== null && shown(before[name]) !== shown(value)
      ? `${name}: ${shown(before[name])} → ${shown(value)}`
      : `${name}: ${shown(value)}`,
  );

/** The login role, and the name in `PETSTORE_ACTOR` or `--actor`: `bob, as alice`. */
export const describeActor = (role: unknown, actor: unknown): string =>
  actor === null || actor === role ? shown(role) : `${shown(role)}, as ${shown(actor)}`;

type Cell = string | number | bigint | boolean | Date | null;

/** Without it, spreadsheets do not assume UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Rows as a table with titles (RFC 4180). */
export const toCsv = (columns: readonly string[], rows: readonly object[]): string =>
  BYTE_ORDER_MARK +
  toLine(columns) +
  rows.map((row) => toLine(columns.map((name) => (row as Record<string, Cell>)[name]))).join('');

const toLine = (cells: readonly (Cell | undefined)[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** Possible cell separators, the spaces that spreadsheets skip, and the characters that begin a formula, also in their full-width forms. */
const FORMULA = /(^|[,;|\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Always quoted; strings are escaped by `inCell`. */
function toCell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? (value.toJSON() ?? '') : String(value);
  return `"${(typeof value === 'string' ? inCell(text) : text).replaceAll('"', '""')}"`;
}

/** A spreadsheet would run a text that looks like a formula, and names are chosen by customers. */
const inCell = (text: string): string => text.replaceAll(FORMULA, "$1$2'");
