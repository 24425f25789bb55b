type Cell = string | number | bigint | boolean | Date | null;

/** Without it, spreadsheets read another encoding than UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Rows as a table with titles (RFC 4180). */
export const toCsv = (columns: readonly string[], rows: readonly object[]): string =>
  BYTE_ORDER_MARK + toLine(columns) + toCsvLines(columns, rows);

/** Rows that follow others. */
export const toCsvLines = (columns: readonly string[], rows: readonly object[]): string =>
  rows.map((row) => toLine(columns.map((name) => (row as Record<string, Cell>)[name]))).join('');

const toLine = (cells: readonly (Cell | undefined)[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** What may separate cells for a spreadsheet, the spaces that it leaves out, and the signs that begin a formula, also in their wide forms. */
const FORMULA = /(^|[,;|\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Quoted, whatever it is, and a text as `inCell` has it. */
function toCell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? (value.toJSON() ?? '') : String(value);
  return `"${(typeof value === 'string' ? inCell(text) : text).replaceAll('"', '""')}"`;
}

/** A spreadsheet would run a text that looks like a formula, and names are chosen by customers. */
export const inCell = (text: string): string => text.replaceAll(FORMULA, "$1$2'");
