import { LosslessNumber, parse } from 'lossless-json';
import pg from 'pg';
import { printable, type Row, toTable } from './output.js';
import type { SqlResult } from './sql-statements.js';

const { BOOL, INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC, JSON: JSON_TEXT, JSONB } = pg.types.builtins;

const NUMBERS: ReadonlySet<number> = new Set([INT2, INT4, INT8, OID, FLOAT4, FLOAT8, NUMERIC]);

/** The answer of a statement for people: its rows as a table, or what it did. */
export function resultTable({ command, rowCount, fields, rows }: SqlResult): string {
  if (fields.length === 0) return `${command}${rowCount === null ? '' : ` ${rowCount}`}\n`;
  const table = toTable(
    fields.map(({ name, dataTypeID }) => ({
      title: printable(name),
      ...(NUMBERS.has(dataTypeID) && { align: 'right' as const }),
    })),
    rows.map((row) => row.map((value) => printable(value ?? ''))),
  );
  return `${table}(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})\n`;
}

/** The same for scripts: numbers, booleans and JSON as such and to the digit, everything else as PostgreSQL writes it. */
export function resultForScripts({ command, rowCount, fields, rows }: SqlResult): Row {
  const names = uniqueNames(fields.map(({ name }) => name));
  return {
    command,
    count: rowCount,
    rows: rows.map((row) =>
      Object.fromEntries(row.map((value, index) => [names[index], typed(value, fields[index]?.dataTypeID)])),
    ),
  };
}

function typed(value: string | null, oid: number | undefined): unknown {
  if (value === null) return null;
  if (oid === BOOL) return value === 't';
  if (oid === JSON_TEXT || oid === JSONB)
    return parse(value, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  // NaN and Infinity are no numbers in JSON.
  if (oid !== undefined && NUMBERS.has(oid) && /^-?\d/.test(value)) return new LosslessNumber(value);
  return value;
}

/** Columns of one name, as of a join, would overwrite each other. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const times = new Map<string, number>();
  return names.map((name) => {
    const seen = (times.get(name) ?? 0) + 1;
    times.set(name, seen);
    return seen === 1 ? name : `${name}_${seen}`;
  });
}
