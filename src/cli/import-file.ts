import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toCsv } from '../monitoring/text.js';
import { cannot, CliError } from './cli-error.js';
import type { Row } from '../database/statement.js';

/** An issued key, with the CSV line that it was issued for. */
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

/** @throws CliError if there is such a file */
export const createImportFile = (path: string): Promise<FileHandle> =>
  open(path, 'wx', 0o600).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') cannot('write', path)(error);
    throw new CliError(
      `${path} exists already, and is not overwritten.`,
      `Name another file. To check if its keys are live: petstore keys find ${path}`,
    );
  });

/**
 * Writes issued keys to a new file, their only copy: it is complete before they are committed, and never changes afterwards.
 * Resolves when it is on the disk, and closed.
 */
export async function writeImportFile(
  file: FileHandle,
  path: string,
  keys: readonly IssuedKey[],
): Promise<void> {
  try {
    await file.appendFile(toCsv(COLUMNS, keys));
    await file.sync();
    await file.close();
  } catch (error) {
    cannot('write', path)(error);
  }
  // Persist the directory entry as well. Not every file system supports this, and not every user may.
  const directory = await open(dirname(path)).catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
