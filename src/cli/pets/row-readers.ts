import { parseInt64 } from '../../http/input/int64.js';
import { parseJsonText } from '../../http/input/json-body.js';
import { CliError } from '../cli-error.js';
import { csvFields } from './csv-fields.js';

/**
 * Makes of a row what a body of `POST /v1/pets` would be parsed to; throws an Error when that cannot be. Undefined: the row
 * is blank.
 */
export type RowReader = (row: string) => unknown;

/** NDJSON: each line is a body. */
export const readJsonRow: RowReader = (row) => (isBlank(row) ? undefined : parseJsonText(row));

const BLANK = /^[ \t\r]*$/;
const SPACE = 32;

/** Most rows do not begin with white space, and need no further look. */
const isBlank = (row: string): boolean => (row === '' || row.charCodeAt(0) <= SPACE) && BLANK.test(row);

/**
 * CSV: the members are named by the first row, whose other columns are ignored as unknown members are.
 *
 * @throws CliError when that names no animals
 */
export function csvRowReader(header: string): RowReader {
  const names = csvFields(header) ?? [];
  for (const name of ['name', 'categoryId']) {
    if (names.includes(name)) continue;
    throw new CliError(
      `The first line has no column ${name}.`,
      `It must name the columns: name,categoryId,status or id,name,categoryId,status, divided by commas.`,
    );
  }
  if (new Set(names).size < names.length) throw new CliError('The first line names a column twice.');
  const id = names.indexOf('id');
  const name = names.indexOf('name');
  const categoryId = names.indexOf('categoryId');
  const status = names.indexOf('status');
  return (row) => {
    if (isBlank(row)) return undefined;
    const fields = csvFields(withoutReturn(row));
    if (fields === undefined) {
      throw new Error('A quote stands within a value: put the value in quotes, and each quote in it twice.');
    }
    if (fields.length !== names.length) {
      throw new Error(`The row has ${fields.length} values, and the first line names ${names.length}.`);
    }
    return {
      name: fields[name],
      categoryId: asJsonNumber(fields[categoryId]),
      status: unlessEmpty(fields, status),
      id: asJsonNumber(unlessEmpty(fields, id)),
    };
  };
}

/** What is empty is absent: CSV has nothing else for it. So is what has no column, at -1. */
function unlessEmpty(fields: readonly string[], index: number): string | undefined {
  const value = index === -1 ? undefined : fields[index];
  return value === '' ? undefined : value;
}

export const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Few enough digits for a double to hold them all. */
const PLAIN = /^-?[1-9]\d{0,14}$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A value as the number that it would be in JSON; one that would be none stays text, for the rules to refuse. */
function asJsonNumber(value: string | undefined): unknown {
  if (value === undefined) return undefined;
  if (PLAIN.test(value)) return Number(value);
  return parseInt64(value) ?? (NUMBER.test(value) ? parseJsonText(value) : value);
}
