import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Client } from 'pg';
import { inCell, toCsv, toCsvLines } from '../monitoring/text.js';
import { cannot, CliError } from './cli-error.js';
import type { Row } from '../database/statement.js';

/** An issued key, with the line of the table that it was issued for. */
export interface IssuedKey extends Row {
  readonly line: number;
  readonly id: bigint;
  readonly name: string;
  readonly prefix: string;
}

const COLUMNS = [
  ...['line', 'id', 'name', 'plan_id', 'key', 'prefix'],
  ...['requests_per_minute', 'requests_per_day', 'expires_at', 'customer'],
];

/**
 * The file that gets new keys before they are committed, so that none is lost, and by which an import that failed goes on. A key that is in it
 * may not have been committed.
 */
export class ImportFile {
  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @throws CliError if there is such a file */
  static async create(path: string): Promise<ImportFile> {
    const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') cannot('write', path)(error);
      throw new CliError(
        `${path} exists already, and is not overwritten.`,
        'Name another file, or pass --resume to go on with the import that has written it.',
      );
    });
    const record = new ImportFile(path, file);
    await record.#write(toCsv(COLUMNS, []));
    return record;
  }

  /**
   * Continues a file, without the keys that were not committed.
   *
   * @param names those of the table, by line
   * @returns with it the lines that have a key
   * @throws CliError if the file is that of another table
   */
  static async resume(
    path: string,
    client: Client,
    names: ReadonlyMap<number, string>,
  ): Promise<{ readonly record: ImportFile; readonly done: ReadonlySet<number> }> {
    const text = await readFile(path).catch(cannot('read', path));
    // The last line may not have been written to its end.
    const lines = parse<Record<string, string>>(text, {
      bom: true,
      columns: true,
      skip_records_with_error: true,
    });
    const { rows } = await client.query<{ id: bigint; prefix: string }>(
      `select api_key_id as id, prefix from api_key_secrets
       join unnest($1::bigint[], $2::text[]) as line (api_key_id, prefix) using (api_key_id, prefix)`,
      [lines.map(({ id }) => id), lines.map(({ prefix }) => prefix)],
    );
    const committed = new Set(rows.map(({ id, prefix }) => `${id} ${prefix}`));
    const kept = lines.filter(({ id, prefix }) => committed.has(`${id} ${prefix}`));
    for (const { line, name } of kept)
      if (inCell(names.get(Number(line)) ?? '') !== name)
        throw new CliError(`${path} was written for another table: its line ${line} has the name ${name}.`);
    const whole = `${path}.petstore-new`;
    // An attempt that was killed may have left it.
    await rm(whole, { force: true });
    const file = await open(whole, 'wx', 0o600).catch(cannot('write', whole));
    const record = new ImportFile(path, file);
    // Cells are as they were: `inCell` changes none that it has changed.
    await record.#write(toCsv(COLUMNS, kept));
    await rename(whole, path);
    return { record, done: new Set(kept.map(({ line }) => Number(line))) };
  }

  /** Resolves when they are on the disk. */
  add(keys: readonly IssuedKey[]): Promise<void> {
    return this.#write(toCsvLines(COLUMNS, keys));
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #write(text: string): Promise<void> {
    try {
      await this.file.appendFile(text);
      await this.file.datasync();
    } catch (error) {
      cannot('write', this.path)(error);
    }
  }
}
