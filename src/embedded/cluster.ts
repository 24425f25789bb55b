import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.js';
import type { DataDirectory } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The superuser, for work of the embedded server itself. The service has a role of its own. */
export const SUPERUSER = 'postgres';

/** No variables of this process: PGPORT, PGDATA and LC_ALL would change what PostgreSQL's programs do. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const UNFINISHED = 'initdb-';

/** Whether a data directory, which need not exist, has a database. */
export const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'cluster/PG_VERSION'));

/** Creates the cluster if there is none, and rejects one of another major version. */
export async function ensureCluster(
  directory: DataDirectory,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  const { root, cluster } = directory;
  if (!hasCluster(root)) await createCluster(directory, binaries, durable);
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      `${root} was created by PostgreSQL ${version}, but this is PostgreSQL ${binaries.majorVersion}. Export the data with the release that created it, or choose another DATA_DIR.`,
    );
  }
}

/** Creates it under another name and renames it, so that there is a complete cluster or none. */
async function createCluster(directory: DataDirectory, binaries: Binaries, durable: boolean): Promise<void> {
  const { root, cluster, account } = directory;
  const unfinished = await mkdtemp(join(root, UNFINISHED));
  try {
    if (account !== undefined) await chown(unfinished, account.uid, account.gid);
    await initdb(unfinished, directory, binaries, durable);
    await rename(unfinished, cluster);
  } catch (error) {
    // Another service may have been first, and removed this attempt.
    if (!hasCluster(root)) throw error;
  } finally {
    for (const entry of await readdir(root)) {
      if (entry.startsWith(UNFINISHED) && hasCluster(root)) {
        await rm(join(root, entry), { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }
}

async function initdb(
  target: string,
  { account }: DataDirectory,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  // No passwords: only the owner of the run directory can reach the socket, and the server listens nowhere else.
  const flags = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'];
  if (!durable) flags.push('--no-sync');
  const child = spawn(binaries.initdb, ['-D', target, ...flags], {
    ...account,
    cwd: target,
    env: SERVER_ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`initdb failed: ${errors.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
}
