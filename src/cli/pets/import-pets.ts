import { type Client, DatabaseError } from 'pg';
import { CliError } from '../cli-error.js';
import type { FileRow, Format } from './file-rows.js';
import { PetWriter } from './pet-writer.js';
import { type ImportedPet, type PetRow, readPets } from './read-pets.js';

export interface ImportOptions {
  readonly source: AsyncIterable<Buffer>;
  readonly format: Format;
  /** Absent: the file is only checked. */
  readonly database?: { readonly client: Client; readonly url: string };
  /** Whether rejected rows are left out; otherwise one is enough for nothing to be added. */
  readonly skipsInvalid: boolean;
  /** Whether the identifiers of the file are kept; otherwise they are ignored. */
  readonly takesIds: boolean;
  /** Called with each row that is rejected, by the line on which it begins. */
  readonly reject: (line: number, fault: string) => void;
  /** Called after each batch of rows, and awaited. */
  readonly onProgress: (counts: ImportCounts) => Promise<void>;
}

export interface ImportCounts {
  /** Rows read. */
  readonly rows: number;
  readonly refused: number;
  /** Pets added; 0 until all is done. */
  readonly imported: number;
}

/** insufficient_privilege */
const NOT_ALLOWED = '42501';

/** Adds the pets of a file to the database, all in one transaction, in constant memory however long the file is. */
export class PetImport {
  #writer: PetWriter | undefined;
  #rows = 0;
  #refused = 0;
  /** As the first pet has one or none. */
  #hasIds: boolean | undefined;

  constructor(private readonly options: ImportOptions) {}

  async run(): Promise<ImportCounts> {
    const { source, format, takesIds } = this.options;
    try {
      for await (const rows of readPets(source, format, takesIds)) await this.#take(rows);
      return this.#counts((await this.#writer?.finish()) ?? 0);
    } catch (error) {
      await this.#writer?.abandon();
      if (this.#hasIds !== true || !(error instanceof DatabaseError) || error.code !== NOT_ALLOWED)
        throw error;
      throw new CliError(
        error.message,
        'Only the owner of the tables may bring identifiers along: ask for that, or give --new-ids.',
      );
    }
  }

  async #take(rows: readonly FileRow<ImportedPet>[]): Promise<void> {
    const { database, skipsInvalid } = this.options;
    const accepted = rows.filter((row) => this.#isAccepted(row));
    this.#rows += rows.length;
    if (this.#refused > 0 && !skipsInvalid) {
      // Nothing will be added. The remaining rows are only checked, so that all faults are reported at once.
      await this.#writer?.abandon();
      this.#writer = undefined;
    } else if (accepted.length > 0 && database !== undefined) {
      this.#writer ??= await PetWriter.open(database.client, database.url, {
        hasIds: this.#hasIds === true,
        skipsTaken: skipsInvalid,
        reject: this.#reject,
      });
      await this.#writer.write(accepted);
    }
    await this.options.onProgress(this.#counts(0));
  }

  #isAccepted(row: FileRow<ImportedPet>): row is PetRow {
    if ('fault' in row) {
      this.#reject(row.line, row.fault);
      return false;
    }
    const hasId = row.value.id !== undefined;
    this.#hasIds ??= hasId;
    if (hasId === this.#hasIds) return true;
    this.#reject(
      row.line,
      this.#hasIds
        ? 'id is missing: the first animal has one, so every one must.'
        : 'id must not be there: the first animal has none.',
    );
    return false;
  }

  readonly #reject = (line: number, fault: string): void => {
    this.#refused += 1;
    this.options.reject(line, fault);
  };

  #counts(imported: number): ImportCounts {
    return { rows: this.#rows, refused: this.#refused, imported };
  }
}
