import { cp, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS_DIRECTORY } from '../../src/database/migration-files.js';

/** A new folder with the migrations of a release, which are frozen. */
export async function copyMigrationsOf(release: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-release-'));
  const lines = (await readFile(join(MIGRATIONS_DIRECTORY, 'released.txt'), 'utf8')).split('\n');
  const last = lines.findLastIndex((line) => line.endsWith(` ${release}`));
  for (const line of lines.slice(0, last + 1)) {
    const [file] = /\S+\/migration\.sql/.exec(line) ?? [];
    if (file !== undefined) await cp(join(MIGRATIONS_DIRECTORY, file), join(folder, file));
  }
  return folder;
}
