import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FOLDED_RELEASE, readFoldedMigrations } from '../../test/support/release.js';
import { MIGRATIONS_DIRECTORY, readFolded, readMigrations } from './migration-files.js';

const released = readFileSync(join(MIGRATIONS_DIRECTORY, 'released.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/\s+/))
  .map(([checksum, file = '']) => ({ name: file.replace('/migration.sql', ''), checksum }));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('released migrations', () => {
  it('are never edited, renamed or removed, and later ones come after them', async () => {
    const present = (await readMigrations(MIGRATIONS_DIRECTORY)).map(({ name, checksum }) => ({
      name,
      checksum,
    }));
    expect(released.length).toBeGreaterThan(0);
    expect(present.slice(0, released.length)).toEqual(released);
  });

  it('replace those of the squashed release', async () => {
    const folded = await readFolded(MIGRATIONS_DIRECTORY);
    const names = Object.keys(folded?.migrations ?? {});
    const checksums = Object.entries(await readFoldedMigrations()).map(([name, sql]) => [name, sha256(sql)]);
    expect(folded).toMatchObject({ release: FOLDED_RELEASE, migrations: Object.fromEntries(checksums) });
    expect(names).toHaveLength(checksums.length);
    // Earlier than those that stand for them, so that others come after both.
    expect([...names, ...(folded?.into ?? [])]).toEqual([...names, ...(folded?.into ?? [])].toSorted());
  });
});
