import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The release whose migrations are folded into two. */
export const FOLDED_RELEASE = '1.1.0';

const FILE = `test/fixtures/migrations-${FOLDED_RELEASE}.json.gz`;

/** Its migrations, as they were: SQL by name. */
export const readFoldedMigrations = async (): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(gunzipSync(await readFile(FILE)).toString()) as Record<string, string>;

/** A new folder with its migrations. */
export async function copyFoldedMigrations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-release-'));
  for (const [name, sql] of Object.entries(await readFoldedMigrations())) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }
  return folder;
}
