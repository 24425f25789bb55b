import { isUtf8 } from 'node:buffer';
import { parseInt64 } from '../../http/int64.js';
import { parseJsonBody } from '../../http/json-body.js';
import { CliError } from '../cli-error.js';
import { csvFields } from './csv-fields.js';

/** Makes of a row's bytes what a body of `POST /v1/pets` would be parsed to; throws an Error when that cannot be. */
export type RowReader = (bytes: Buffer) => unknown;

/** NDJSON: each line is a body. Undefined: the line is blank. */
export const readJsonRow: RowReader = (bytes) => (isBlank(bytes) ? undefined : parseJsonBody(bytes));

const BLANK = /^[ \t\r]*$/;
const SPACE = 32;

/** Most rows do not begin with white space, and need no further look. */
const isBlank = (bytes: Buffer): boolean => (bytes[0] ?? 0) <= SPACE && BLANK.test(bytes.toString('latin1'));

const COLUMNS = ['id', 'name', 'categoryId', 'status'] as const;

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
  const [id, name, categoryId, status] = COLUMNS.map((column) => names.indexOf(column));
  return (bytes) => {
    if (isBlank(bytes)) return undefined;
    if (!isUtf8(bytes)) throw new Error('The row is not valid UTF-8.');
    const fields = csvFields(withoutReturn(bytes.toString('utf8')));
    if (fields === undefined) {
      throw new Error('A quote stands within a value: put the value in quotes, and each quote in it twice.');
    }
    if (fields.length !== names.length) {
      throw new Error(`The row has ${fields.length} values, and the first line names ${names.length}.`);
    }
    const field = (index: number | undefined): string => fields[index ?? -1] ?? '';
    return {
      name: field(name),
      categoryId: asJsonNumber(field(categoryId)),
      // What is empty is absent: CSV has nothing else for it.
      ...(field(status) !== '' && { status: field(status) }),
      ...(field(id) !== '' && { id: asJsonNumber(field(id)) }),
    };
  };
}

export const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);

/** Few enough digits for a double to hold them all. */
const PLAIN = /^-?[1-9]\d{0,14}$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A value as the number that it would be in JSON; one that would be none stays text, for the rules to refuse. */
function asJsonNumber(value: string): unknown {
  if (PLAIN.test(value)) return Number(value);
  return parseInt64(value) ?? (NUMBER.test(value) ? parseJsonBody(Buffer.from(value)) : value);
}
