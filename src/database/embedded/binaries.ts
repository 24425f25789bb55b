import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../errors/describe-error.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { isOwnDirectory, makeOwnDirectory, SHARED_DIRECTORY, temporaryDirectory } from './open-directory.js';
import { canEnter, canRun, type ServerAccount } from './server-account.js';

/** PostgreSQL's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: string;
}

/** Finds this platform's PostgreSQL, which npm installs as an optional package. Copies it where the account cannot read it. */
export async function findBinaries(account: ServerAccount | undefined): Promise<Binaries> {
  const installed = packageDirectory();
  const manifest = await readFile(join(installed, 'package.json'), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  await linkLibraries(installed);
  const root = canRun(account, join(installed, 'native/bin/postgres'))
    ? installed
    : await copyForAccount(account, installed, `postgresql-${version}-${PLATFORM}`);
  return {
    initdb: join(root, 'native/bin/initdb'),
    postgres: join(root, 'native/bin/postgres'),
    majorVersion: version.slice(0, version.indexOf('.')),
  };
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** @throws EmbeddedPostgresError where the package is not installed, as in the image */
export function packageDirectory(): string {
  const name = `@embedded-postgres/${PLATFORM}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `Set DATABASE_URL, such as postgresql://user:password@host:5432/database: the embedded PostgreSQL (optional package ${name}) is not installed.`,
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
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}

/** The directory of a copy that the account can run. */
async function copyForAccount(
  account: ServerAccount | undefined,
  installed: string,
  name: string,
): Promise<string> {
  const faults: string[] = [];
  // Some containers have a read-only file system with a writable /tmp.
  for (const directory of [SHARED_DIRECTORY, join(temporaryDirectory(account), 'petstore')]) {
    try {
      const copy = await copyOnce(installed, join(directory, name));
      if (canEnter(account, copy)) return copy;
      faults.push(`it cannot enter ${copy}`);
    } catch (error) {
      faults.push(messageOf(error));
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL does not run as root, and the user that it runs as cannot read ${installed}. A copy for that user failed: ${faults.join('; ')}. Run as another user, or set DATABASE_URL.`,
  );
}

/**
 * Copies PostgreSQL unless a complete copy is there, and returns its directory. The copy is made under another name and renamed,
 * so that several processes may do so at once.
 */
export async function copyOnce(installed: string, copy: string): Promise<string> {
  const directory = dirname(copy);
  makeOwnDirectory(directory);
  if (await isComplete(copy, installed)) return copy;
  const unfinished = await mkdtemp(join(directory, '.unfinished-'));
  try {
    const native = join(unfinished, 'native');
    // Links stay relative: to the libraries of the copy.
    await cp(join(installed, 'native'), native, { recursive: true, verbatimSymlinks: true });
    for (const entry of await readdir(native, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await Promise.all([chmod(native, 0o755), chmod(unfinished, 0o755)]);
    await rename(unfinished, copy).catch(async (error: unknown) => {
      // Another process was first, or an incomplete copy is in the way.
      if (await isComplete(copy, installed)) return;
      if (!existsSync(copy)) throw error;
      await rm(copy, { recursive: true });
      await rename(unfinished, copy);
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return copy;
}

/** Programs that tidy /tmp remove single files. */
async function isComplete(copy: string, installed: string): Promise<boolean> {
  if (!isOwnDirectory(copy)) return false;
  const [copied, wanted] = await Promise.all(
    [copy, installed].map((root) => readdir(join(root, 'native'), { recursive: true }).catch(() => [])),
  );
  const names = new Set(copied);
  return wanted?.every((name) => names.has(name)) === true;
}
