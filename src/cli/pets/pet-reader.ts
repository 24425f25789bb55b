import { CliError } from '../cli-error.js';
import type { Format } from './format.js';
import { type ImportedPet, readPet } from './pet-rules.js';
import { type FileRecord, RecordSplitter } from './record-splitter.js';
import { csvRowReader, readJsonRow, type RowReader, withoutReturn } from './row-readers.js';

/** A row of a file, which begins on a line: an animal, or why it is none. */
export type ReadRow =
  | { readonly line: number; readonly pet: ImportedPet; readonly fault?: undefined }
  | { readonly line: number; readonly fault: string };

/** As spreadsheets begin their files. */
const BYTE_ORDER_MARK = /^\ufeff/;

/** Reads the animals of a file, given chunk by chunk. */
export class PetReader {
  readonly #splitter: RecordSplitter;
  #readRow: RowReader | undefined;
  #hasIds: boolean | undefined;

  constructor(
    format: Format,
    private readonly takesIds: boolean,
  ) {
    this.#splitter = new RecordSplitter(format === 'csv');
    if (format === 'ndjson') this.#readRow = readJsonRow;
  }

  /** Whether the animals bring their identifiers, as the first one tells; false before there is one. */
  get hasIds(): boolean {
    return this.#hasIds ?? false;
  }

  /** @throws CliError when the first line of CSV does not tell the columns */
  *push(chunk: Buffer): Generator<ReadRow> {
    for (const record of this.#splitter.push(chunk)) {
      const row = this.#read(record);
      if (row !== undefined) yield row;
    }
  }

  *end(): Generator<ReadRow> {
    for (const record of this.#splitter.end()) {
      const row = this.#read(record);
      if (row !== undefined) yield row;
    }
    if (this.#readRow === undefined)
      throw new CliError('The file is empty: it has no line that names the columns.');
  }

  #read({ line, bytes, fault }: FileRecord): ReadRow | undefined {
    if (fault !== undefined) return { line, fault };
    const content = line === 1 ? withoutMark(bytes) : bytes;
    if (this.#readRow === undefined) {
      this.#readRow = csvRowReader(withoutReturn(content.toString('utf8')));
      return undefined;
    }
    try {
      const value = this.#readRow(content);
      if (value === undefined) return undefined;
      const pet = readPet(value, this.takesIds);
      this.#expectIds(pet);
      return { line, pet };
    } catch (error) {
      return { line, fault: faultOf(error) };
    }
  }

  #expectIds({ id }: ImportedPet): void {
    this.#hasIds ??= id !== undefined;
    if (this.#hasIds === (id !== undefined)) return;
    throw new Error(
      this.#hasIds
        ? 'id is missing: the first animal has one, so every one must.'
        : 'id must not be there: the first animal has none.',
    );
  }
}

function withoutMark(bytes: Buffer): Buffer {
  return BYTE_ORDER_MARK.test(bytes.toString('utf8', 0, 3)) ? bytes.subarray(3) : bytes;
}

/** The service speaks of a body, which is a row here. */
const faultOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^(?:The|A) body/, 'The row');
