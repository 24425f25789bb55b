import { cp, lchown, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { canRun, type DataDirectory } from './data-directory.js';
import { codeOf, EmbeddedPostgresError } from './embedded-postgres.error.js';

/** PostgreSQL's programs, ready to be run by the server's user. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: string;
}

/** Finds this platform's PostgreSQL and makes it runnable: where it is installed, or else as a copy. */
export async function prepareBinaries({ runDirectory, account }: DataDirectory): Promise<Binaries> {
  const installed = findPackage();
  const { version }: { version: string } = JSON.parse(
    await readFile(join(installed, 'package.json'), 'utf8'),
  );
  const usable = canRun(account, join(installed, 'native/bin/postgres')) && (await linkLibraries(installed));
  const root = usable ? installed : join(runDirectory, `binaries-${version}`);
  if (!existsSync(root)) await copyBinaries(installed, root, account);
  const bin = join(root, 'native/bin');
  return {
    initdb: join(bin, 'initdb'),
    postgres: join(bin, 'postgres'),
    majorVersion: version.slice(0, version.indexOf('.')),
  };
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL (optional package ${name}) is not installed. Set DATABASE_URL.`,
      { cause },
    );
  }
}

/**
 * Does what the package's install script would do (npm cannot pack symbolic links; this project runs no install
 * scripts). False: the package may not be written to.
 */
async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  try {
    const links: { source: string; target: string }[] = JSON.parse(list);
    for (const { source, target } of links) {
      if (!existsSync(join(root, target)))
        await symlink(basename(source), join(root, target)).catch(allowExisting);
    }
    return true;
  } catch (fault) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(fault))) return false;
    throw fault;
  }
}

/** Copies aside and renames, so that a copy is complete or absent. */
async function copyBinaries(
  installed: string,
  target: string,
  account: DataDirectory['account'],
): Promise<void> {
  const copy = await mkdtemp(join(dirname(target), 'copy-'));
  try {
    for (const part of ['package.json', 'native']) {
      // Links stay relative, else they would lead back; static libraries are of no use to a server that is built already.
      await cp(join(installed, part), join(copy, part), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => !file.endsWith('.a'),
      });
    }
    await linkLibraries(copy);
    if (account !== undefined) {
      for (const file of await readdir(copy, { recursive: true })) {
        await lchown(join(copy, file), account.uid, account.gid);
      }
      await lchown(copy, account.uid, account.gid);
    }
    await rename(copy, target).catch(allowExisting);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** A simultaneous opener was first, which is as good. */
function allowExisting(fault: unknown): void {
  if (!['EEXIST', 'ENOTEMPTY'].includes(codeOf(fault))) throw fault;
}
