import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toCsv } from '../monitoring/text.js';
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

/** The new file for issued keys: the only place where they are, so it is whole before they are committed, and never changes afterwards. */
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
        `Name another file. To see whether its keys are live: petstore keys find ${path}`,
      );
    });
    return new ImportFile(path, file);
  }

  /** Resolves when they are on the disk, and the file is closed. */
  async write(keys: readonly IssuedKey[]): Promise<void> {
    try {
      await this.file.appendFile(toCsv(COLUMNS, keys));
      await this.file.sync();
      await this.file.close();
    } catch (error) {
      cannot('write', this.path)(error);
    }
    await syncDirectory(dirname(this.path)).catch(() => undefined);
  }

  async remove(): Promise<void> {
    await this.file.close();
    await rm(this.path).catch(cannot('remove', this.path));
  }
}

/** Its entry has the name of a new file. Not every file system can do it, and not every user may. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
