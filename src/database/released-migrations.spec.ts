import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MIGRATIONS_DIRECTORY, readMigrations } from './migration-files.js';

const released = readFileSync(join(MIGRATIONS_DIRECTORY, 'released.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(/\s+/))
  .map(([checksum, file = '']) => ({ name: file.replace('/migration.sql', ''), checksum }));

describe('released migrations', () => {
  it('are never edited, renamed or removed, and later ones come after them', async () => {
    const present = (await readMigrations(MIGRATIONS_DIRECTORY)).map(({ name, checksum }) => ({
      name,
      checksum,
    }));
    expect(released.length).toBeGreaterThan(0);
    expect(present.slice(0, released.length)).toEqual(released);
  });
});
