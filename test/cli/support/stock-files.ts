import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for the files of one test file. */
export interface StockFiles {
  readonly path: (name: string) => string;
  /** Writes a file and returns where. */
  write(name: string, content: string | Buffer): Promise<string>;
  remove(): Promise<void>;
}

export async function createStockFiles(): Promise<StockFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-stock-'));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    write: async (name, content) => {
      await writeFile(path(name), content);
      return path(name);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
