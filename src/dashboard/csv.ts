const COLUMNS = (
  'id,name,plan_id,state,access,requests_per_minute,requests_per_day,minute_admitted,day_admitted,day_refused,' +
  'last_used_at,created_at,expires_at,prefix'
).split(',');

type Cell = string | number | bigint | boolean | Date | null;

/** Without it, spreadsheets read another encoding than UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** Keys as a table (RFC 4180). */
export const toCsv = (rows: readonly object[]): string =>
  BYTE_ORDER_MARK +
  [
    COLUMNS.map((name) => cell(name)),
    ...rows.map((row) => COLUMNS.map((name) => cell((row as Record<string, Cell>)[name]))),
  ]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** What may separate cells for a spreadsheet, the spaces that it leaves out, and the signs that begin a formula, also in their wide forms. */
const FORMULA = /(^|[,;|\t\r\n])(\s*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Quoted, whatever it is. A spreadsheet would run a text that looks like a formula, and names are chosen by customers. */
function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? (value.toJSON() ?? '') : String(value);
  const safe = typeof value === 'string' ? text.replaceAll(FORMULA, "$1$2'") : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
