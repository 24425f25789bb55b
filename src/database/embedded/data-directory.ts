import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { prepareRunDirectory, runDirectoryOf } from './run-directory.js';
import { canEnter, serverAccount, type ServerAccount } from './server-account.js';

/** Where everything of one embedded server lies. */
export interface DataDirectory {
  /** The data directory itself, without symbolic links. */
  readonly root: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  readonly logFile: string;
  /** Only the server's user may enter it, and it is short enough for a socket's path. */
  readonly runDirectory: string;
  /** Undefined: the server runs as the user of this process. */
  readonly account: ServerAccount | undefined;
}

/** Creates what is missing of a data directory, except the cluster. */
export function prepareDataDirectory(dataDir: string): DataDirectory {
  // Others may enter, as the server may be another user; each part below protects itself.
  mkdirSync(dataDir, { recursive: true, mode: 0o755 });
  const root = realpathSync(dataDir);
  const cluster = join(root, 'cluster');
  const account = serverAccount(cluster);
  const runDirectory = runDirectoryOf(root, account);
  prepareRunDirectory(runDirectory, account);
  return { root, cluster, logFile: join(root, 'postgres.log'), runDirectory, account };
}

/**
 * How the server's user names a directory that is also its working directory. Below a directory that it may not enter
 * (root's home, often) no path leads there, but Linux resolves a working directory without looking at those above.
 */
export function asServerSees(directory: string, account: ServerAccount | undefined): string {
  if (canEnter(account, directory)) return directory;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new EmbeddedPostgresError(
    `started by root, PostgreSQL runs as another user, who may not enter ${directory}: choose another DATA_DIR, or do not run as root`,
  );
}
