import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.js';
import { type DataDirectory, hasCluster } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The superuser, for managing the embedded server. The service has its own role. */
export const SUPERUSER = 'postgres';

/** No variables of this process: PGPORT, PGDATA and LC_ALL would change what PostgreSQL's programs do. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const UNFINISHED = 'initdb-';

interface ClusterOptions {
  /** Whether the files have to survive a crash of the machine. */
  readonly isDurable: boolean;
  /** Aborts the creation; no process is left. */
  readonly signal: AbortSignal;
}

/** Creates the cluster if there is none, and rejects one of another major version. */
export async function ensureCluster(
  directory: DataDirectory,
  binaries: Binaries,
  options: ClusterOptions,
): Promise<void> {
  const { root, cluster } = directory;
  if (!hasCluster(root)) await createCluster(directory, binaries, options);
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      `${root} was created by PostgreSQL ${version}, but this is PostgreSQL ${binaries.majorVersion}. Export the data with the release that created it, or choose another DATA_DIR.`,
    );
  }
}

/** Creates it under another name and renames it, so that there is a complete cluster or none. */
async function createCluster(
  directory: DataDirectory,
  binaries: Binaries,
  options: ClusterOptions,
): Promise<void> {
  const { root, cluster, account } = directory;
  const unfinished = await mkdtemp(join(root, UNFINISHED));
  try {
    if (account !== undefined) await chown(unfinished, account.uid, account.gid);
    await initdb(unfinished, directory, binaries, options);
    await rename(unfinished, cluster);
  } catch (error) {
    // Another service may have been first, and removed this attempt.
    if (!hasCluster(root)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
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
  { isDurable, signal }: ClusterOptions,
): Promise<void> {
  // No passwords: only the owner of the run directory can reach the socket, and the server listens nowhere else.
  const flags = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'];
  if (!isDurable) flags.push('--no-sync');
  const child = spawn(binaries.initdb, ['-D', target, ...flags], {
    ...account,
    cwd: target,
    env: SERVER_ENVIRONMENT,
    // A process group of its own, which can be ended as a whole.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = (): void => endGroup(child);
  if (signal.aborted) end();
  signal.addEventListener('abort', end);
  // Its child processes inherit stderr: when that is closed, all of them have ended.
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  if (code !== 0) throw new Error(`initdb failed: ${errors.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
