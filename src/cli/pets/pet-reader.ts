import { CliError } from '../cli-error.js';
import { CsvRows } from './csv-rows.js';
import type { Format } from './format.js';
import { type ImportedPet, readImportedPet } from './imported-pet.js';
import { type Line, LineSplitter } from './line-splitter.js';
import { csvRowReader, readJsonRow, type RowReader, withoutReturn } from './row-readers.js';

/** A row of a file, by the line on which it begins: an animal, or why it is none. */
export type ReadRow =
  { readonly line: number; readonly pet: ImportedPet } | { readonly line: number; readonly fault: string };

/** As spreadsheets begin their files. */
const BYTE_ORDER_MARK = '\ufeff';

/** Reads the rows of a file, given chunk by chunk. */
export class PetReader {
  readonly #lines = new LineSplitter();
  readonly #csvRows: CsvRows | undefined;
  #readRow: RowReader | undefined;

  constructor(
    format: Format,
    private readonly takesIds: boolean,
  ) {
    if (format === 'csv') this.#csvRows = new CsvRows();
    else this.#readRow = readJsonRow;
  }

  /** @throws CliError when the first line of CSV does not tell the columns */
  push(chunk: Buffer): ReadRow[] {
    const lines = this.#lines.push(chunk);
    return this.#readAll(this.#csvRows?.join(lines) ?? lines);
  }

  end(): ReadRow[] {
    const lines = this.#lines.end();
    const rows = this.#readAll(
      this.#csvRows === undefined ? lines : [...this.#csvRows.join(lines), ...this.#csvRows.end()],
    );
    if (this.#readRow === undefined)
      throw new CliError('The file is empty: it has no line that names the columns.');
    return rows;
  }

  #readAll(lines: readonly Line[]): ReadRow[] {
    const rows: ReadRow[] = [];
    for (const line of lines) {
      const row = this.#read(line);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  #read({ number: line, text, fault }: Line): ReadRow | undefined {
    if (fault !== undefined) return { line, fault };
    const row = line === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    if (this.#readRow === undefined) {
      this.#readRow = csvRowReader(withoutReturn(row));
      return undefined;
    }
    try {
      const value = this.#readRow(row);
      return value === undefined ? undefined : { line, pet: readImportedPet(value, this.takesIds) };
    } catch (error) {
      return { line, fault: faultOf(error) };
    }
  }
}

/** The service speaks of a body, which is a row here. */
const faultOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^(?:The|A) body/, 'The row');
