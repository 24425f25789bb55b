import type { Client } from 'pg';
import { copyRow } from './copy-text.js';
import type { FileRow } from './file-rows.js';
import type { Format } from './format.js';
import { addGatheredPets, explained } from './gathered-pets.js';
import { PetWriter } from './pet-writer.js';
import { type ImportedPet, readPets } from './read-pets.js';

export interface ImportOptions {
  readonly source: AsyncIterable<Buffer>;
  readonly format: Format;
  /** Absent: the file is only looked at. */
  readonly database?: { readonly client: Client; readonly url: string };
  /** Whether refused rows are left out; otherwise one is enough for nothing to be added. */
  readonly skipsInvalid: boolean;
  /** Whether the identifiers of the file are kept; otherwise they are ignored. */
  readonly takesIds: boolean;
  /** Told of each row that is refused, by the line on which it begins. */
  readonly refuse: (line: number, fault: string) => void;
  /** Called after each batch, and awaited. */
  readonly onProgress: (counts: ImportCounts) => Promise<void> | void;
}

export interface ImportCounts {
  /** Rows read. */
  readonly rows: number;
  readonly refused: number;
  /** Animals added; 0 until all is done. */
  readonly imported: number;
}

/** Adds the animals of a file to the database, all in one transaction. In constant memory, however long the file is. */
export const importPets = (options: ImportOptions): Promise<ImportCounts> => new Import(options).run();

class Import {
  #writer: PetWriter | undefined;
  #rows = 0;
  #refused = 0;
  /** As the first animal tells. */
  #hasIds: boolean | undefined;

  constructor(private readonly options: ImportOptions) {}

  async run(): Promise<ImportCounts> {
    try {
      const { source, format, takesIds } = this.options;
      for await (const rows of readPets(source, format, takesIds)) await this.#take(rows);
      return await this.#complete();
    } catch (error) {
      await this.#writer?.abandon();
      throw this.#hasIds === true ? explained(error) : error;
    }
  }

  /** Sends a batch of rows. */
  async #take(rows: readonly FileRow<ImportedPet>[]): Promise<void> {
    const { database } = this.options;
    let text = '';
    for (const row of rows) {
      this.#rows += 1;
      if ('value' in row) text += this.#accept(row.line, row.value);
      else this.#refuse(row.line, row.fault);
    }
    if (this.#refused > 0 && !this.options.skipsInvalid) {
      // Nothing will be added. The rest is only looked at, so that all its faults are told at once.
      await this.#writer?.abandon();
      this.#writer = undefined;
    } else if (text !== '' && database !== undefined) {
      this.#writer ??= await PetWriter.open(database.client, this.#hasIds === true);
      await this.#writer.write(text);
    }
    await this.options.onProgress(this.#counts(0));
  }

  /** The row as it is sent, or nothing. */
  #accept(line: number, pet: ImportedPet): string {
    const hasId = pet.id !== undefined;
    this.#hasIds ??= hasId;
    if (hasId !== this.#hasIds) {
      this.#refuse(
        line,
        this.#hasIds
          ? 'id is missing: the first animal has one, so every one must.'
          : 'id must not be there: the first animal has none.',
      );
      return '';
    }
    return this.options.database === undefined ? '' : copyRow(line, pet);
  }

  async #complete(): Promise<ImportCounts> {
    const writer = this.#writer;
    const { database, skipsInvalid } = this.options;
    if (writer === undefined || database === undefined) return this.#counts(0);
    const sent = await writer.finish();
    const imported =
      this.#hasIds === true
        ? await addGatheredPets(database.client, database.url, {
            skipsTaken: skipsInvalid,
            refuse: (line, fault) => this.#refuse(line, fault),
          })
        : sent;
    if (imported === undefined) await writer.abandon();
    else await writer.commit();
    return this.#counts(imported ?? 0);
  }

  #refuse(line: number, fault: string): void {
    this.#refused += 1;
    this.options.refuse(line, fault);
  }

  #counts(imported: number): ImportCounts {
    return { rows: this.#rows, refused: this.#refused, imported };
  }
}
