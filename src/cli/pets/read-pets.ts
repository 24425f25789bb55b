import { Expose } from 'class-transformer';
import { InputPipe } from '../../http/input/input.pipe.js';
import { parseInt64 } from '../../http/input/int64.js';
import { parseJsonText } from '../../http/input/json-body.js';
import { FromJsonInt64, IsInt64, MayBeAbsent } from '../../http/input/validators.js';
import { NewPetBody } from '../../pets/pets.dto.js';
import type { PetStatus } from '../../pets/pet.js';
import { CliError } from '../cli-error.js';
import { type FileRow, type Format, readCsvRows, readLines } from './file-rows.js';

/** A pet of a file. Every one has the same members, undefined where it has none: millions of them are read. */
export interface ImportedPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus | undefined;
  readonly id: bigint | undefined;
}

export type PetRow = Extract<FileRow<ImportedPet>, { readonly value: unknown }>;

/**
 * The pets of a file, in batches; blank rows are left out.
 *
 * @param takesIds whether the identifiers of the file are read; otherwise they are ignored
 * @throws CliError when the first line of CSV does not name the columns
 */
export async function* readPets(
  source: AsyncIterable<Buffer>,
  format: Format,
  takesIds: boolean,
): AsyncGenerator<FileRow<ImportedPet>[]> {
  if (format === 'ndjson') {
    for await (const lines of readLines(source)) yield petsOf(lines, parseJsonLine, takesIds);
    return;
  }
  let parseRow: RowParser<readonly string[]> | undefined;
  for await (const rows of readCsvRows(source)) {
    if (rows.length === 0) continue;
    parseRow ??= csvRowParser(rows.shift());
    yield petsOf(rows, parseRow, takesIds);
  }
  if (parseRow === undefined) throw new CliError('The file is empty: it has no line that names the columns.');
}

/**
 * Makes of a row what a body of `POST /v1/pets` would be parsed to; throws an Error when that cannot be. Undefined: the
 * row is blank.
 */
type RowParser<Value> = (row: Value) => unknown;

function petsOf<Value>(
  rows: readonly FileRow<Value>[],
  parseRow: RowParser<Value>,
  takesIds: boolean,
): FileRow<ImportedPet>[] {
  return rows.flatMap((row): FileRow<ImportedPet>[] => {
    if ('fault' in row) return [row];
    const { line } = row;
    try {
      const body = parseRow(row.value);
      return body === undefined ? [] : [{ line, value: validPet(body, takesIds) }];
    } catch (error) {
      // The service speaks of a body, which is a row here.
      const message = error instanceof Error ? error.message : String(error);
      return [{ line, fault: message.replace(/^(?:The|A) body/, 'The row') }];
    }
  });
}

const parseJsonLine: RowParser<string> = (line) => (isBlank(line) ? undefined : parseJsonText(line));

const isBlank = (text: string): boolean => /^[ \t\r]*$/.test(text);

/**
 * The members are named by the first row. Its other columns are ignored, as unknown members are.
 *
 * @throws CliError when that names no pets
 */
function csvRowParser(header: FileRow<readonly string[]> | undefined): RowParser<readonly string[]> {
  const names = header !== undefined && 'value' in header ? header.value : [];
  for (const name of ['name', 'categoryId']) {
    if (names.includes(name)) continue;
    throw new CliError(
      `The first line has no column ${name}.`,
      'It must name the columns: name,categoryId,status or id,name,categoryId,status, divided by commas.',
    );
  }
  if (new Set(names).size < names.length) throw new CliError('The first line names a column twice.');
  const name = names.indexOf('name');
  const categoryId = names.indexOf('categoryId');
  const status = names.indexOf('status');
  const id = names.indexOf('id');
  return (fields) => {
    const [first = ''] = fields;
    if (fields.length === 1 && isBlank(first)) return undefined;
    if (fields.length !== names.length) {
      throw new Error(`The row has ${fields.length} values, and the first line names ${names.length}.`);
    }
    return {
      name: fields[name],
      categoryId: asJsonNumber(fields[categoryId]),
      // CSV has only the empty value for one that is absent. A column that is not there has the index -1.
      status: fields[status] || undefined,
      id: asJsonNumber(fields[id] || undefined),
    };
  };
}

/** Few enough digits for a double to hold them all. */
const PLAIN = /^-?[1-9]\d{0,14}$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A value as the number that it would be in JSON. What is no number stays text, for validation to reject. */
function asJsonNumber(value: string | undefined): unknown {
  if (value === undefined) return undefined;
  if (PLAIN.test(value)) return Number(value);
  return parseInt64(value) ?? (NUMBER.test(value) ? parseJsonText(value) : value);
}

/** The body of `POST /v1/pets`, with the identifier that a pet of a file may have. */
class ImportedPetBody extends NewPetBody {
  @Expose()
  @FromJsonInt64()
  @MayBeAbsent()
  @IsInt64()
  readonly id?: bigint;
}

const pipe = new InputPipe();

/** @throws ApiError with every fault */
function validPet(row: unknown, takesIds: boolean): ImportedPet {
  const metatype = takesIds ? ImportedPetBody : NewPetBody;
  const { name, categoryId, status, id } = pipe.transform(row, { type: 'body', metatype }) as ImportedPetBody;
  return { name, categoryId, status, id };
}
