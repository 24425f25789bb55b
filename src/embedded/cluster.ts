import { spawn } from 'node:child_process';
import { chown, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import { asServerSees, type DataDirectory } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The superuser: for what the embedded server needs itself. The service uses a role of its own. */
export const SUPERUSER = 'postgres';

/** PostgreSQL's programs see no variable of ours: PGPORT, PGDATA and LC_ALL would change what they do. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const UNFINISHED = 'initdb-';

/** Whether a data directory, which need not exist, holds a database. */
export const hasCluster = (dataDir: string): boolean => isCluster({ cluster: join(dataDir, 'cluster') });

/** Creates the cluster unless there is one, and refuses the one of another major version. */
export async function ensureCluster(
  directory: DataDirectory,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  if (!isCluster(directory)) await createCluster(directory, binaries, durable);
  const version = (await readFile(join(directory.cluster, 'PG_VERSION'), 'utf8')).trim();
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      `${directory.root} was created by PostgreSQL ${version}, but this is PostgreSQL ${binaries.majorVersion}. Export the data with the release that created it, or choose another DATA_DIR.`,
    );
  }
}

const isCluster = ({ cluster }: Pick<DataDirectory, 'cluster'>): boolean =>
  existsSync(join(cluster, 'PG_VERSION'));

/**
 * Builds the cluster aside and renames it into place, so that there is a whole one or none: whoever is killed leaves
 * only rubbish, and of simultaneous openers the first rename wins and the others use its cluster.
 */
async function createCluster(directory: DataDirectory, binaries: Binaries, durable: boolean): Promise<void> {
  const { root, cluster, account } = directory;
  const unfinished = await mkdtemp(join(root, UNFINISHED));
  if (account !== undefined) await chown(unfinished, account.uid, account.gid);
  try {
    await initdb(unfinished, directory, binaries, durable);
    await rename(unfinished, cluster);
    await syncDirectory(root);
  } catch (fault) {
    // Another opener was first, and may have removed our work below it.
    if (!isCluster(directory)) {
      await rm(unfinished, { recursive: true, force: true });
      throw fault;
    }
  }
  for (const entry of await readdir(root)) {
    if (!entry.startsWith(UNFINISHED)) continue;
    // It may still be written by an initdb that lost its parent: what cannot be removed now stays.
    await rm(join(root, entry), { recursive: true, force: true }).catch(() => undefined);
  }
}

function initdb(
  cwd: string,
  { account }: DataDirectory,
  binaries: Binaries,
  durable: boolean,
): Promise<void> {
  // No passwords: whoever reaches the socket is the owner already, as its directory has mode 0700 and the server
  // listens nowhere else. A password would lie in a file beside it, readable by the same user.
  const flags = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions'];
  if (!durable) flags.push('--no-sync');
  return new Promise((resolve, reject) => {
    const child = spawn(binaries.initdb, ['-D', asServerSees(cwd, account), ...flags], {
      ...account,
      cwd,
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`initdb failed: ${complaints.trim().replaceAll(/\s*\n\s*/g, ' ')}`));
    });
  });
}

/** A rename that is not yet on disk could take a whole day's work along when the machine fails. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
