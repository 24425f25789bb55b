const COLUMNS = (
  'id,name,plan_id,state,access,requests_per_minute,requests_per_day,minute_admitted,day_admitted,day_refused,' +
  'last_used_at,created_at,expires_at,prefix'
).split(',');

type Cell = string | number | bigint | boolean | Date | null;

/** Keys as a table (RFC 4180). */
export const toCsv = (rows: readonly object[]): string =>
  [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => cell((row as Record<string, Cell>)[name])))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

/** A spreadsheet would run a text that begins like a formula, and names are chosen by customers. */
function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Date ? (value.toJSON() ?? '') : String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
