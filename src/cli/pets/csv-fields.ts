/** The values of one row of CSV (RFC 4180), or undefined when its quotes do not fit. */
export function csvFields(row: string): readonly string[] | undefined {
  if (!row.includes('"')) return row.split(',');
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const isQuoted = row[at] === '"';
    const end = isQuoted ? closingQuote(row, at + 1) : endOfPlain(row, at);
    if (end === -1) return undefined;
    fields.push(isQuoted ? row.slice(at + 1, end).replaceAll('""', '"') : row.slice(at, end));
    const comma = isQuoted ? end + 1 : end;
    if (comma >= row.length) return fields;
    // A quote within a value that is not in quotes, or something after a closing one.
    if (row[comma] !== ',') return undefined;
    at = comma + 1;
  }
}

/**
 * Whether a row goes on after this line, because its end is within quotes. They open a value at its beginning alone, so
 * that a stray one costs its own line only.
 *
 * @param startsWithin whether the line before did
 */
export function endsWithinQuotes(line: string, startsWithin: boolean): boolean {
  let at = 0;
  let isWithin = startsWithin || line.startsWith('"');
  if (isWithin && !startsWithin) at = 1;
  for (;;) {
    if (isWithin) {
      const closing = closingQuote(line, at);
      if (closing === -1) return true;
      at = closing + 1;
    }
    const comma = line.indexOf(',', at);
    if (comma === -1) return false;
    isWithin = line[comma + 1] === '"';
    at = comma + (isWithin ? 2 : 1);
  }
}

/** The first quote that is not one of two, or -1. */
function closingQuote(row: string, from: number): number {
  let at = row.indexOf('"', from);
  while (at !== -1 && row[at + 1] === '"') at = row.indexOf('"', at + 2);
  return at;
}

/** The next comma or quote, or the end. */
function endOfPlain(row: string, from: number): number {
  const comma = row.indexOf(',', from);
  const end = comma === -1 ? row.length : comma;
  const quote = row.indexOf('"', from);
  return quote !== -1 && quote < end ? quote : end;
}
