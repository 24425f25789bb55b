import { createHash } from 'node:crypto';
import { existsSync, lchownSync, lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { createTraversableDirectory, SHARED_DIRECTORY } from './open-directory.js';
import { canEnter, serverAccount, type ServerAccount } from './server-account.js';

/** sockaddr_un holds 104 bytes on macOS and 108 on Linux, the closing zero included. */
const SOCKET_PATH_BYTES_MAX = 103;

/** The name follows from PostgreSQL's default port. */
export const SOCKET_NAME = '.s.PGSQL.5432';

/** The parts of a data directory. */
export interface DataDirectory {
  /** The directory itself, without symbolic links. */
  readonly root: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  readonly logFile: string;
  /** The directory of the socket. Only the server's user may enter it. */
  readonly runDirectory: string;
  /** Undefined: the server runs as the user of this process. */
  readonly account: ServerAccount | undefined;
}

export const DEFAULT_DATA_DIR = './.petstore';

/** The data directory of a service started in the current directory: DATA_DIR or, if not set, the default. */
export const dataDirectory = (dataDir: string | undefined): string =>
  dataDir ?? reachableDirectory(DEFAULT_DATA_DIR);

/**
 * The given data directory or, for root, one below `/var/lib/petstore` if the server's account cannot enter it;
 * once created, it stays.
 */
export function reachableDirectory(dataDir: string): string {
  const path = resolve(dataDir);
  if (process.getuid?.() !== 0 || hasCluster(path)) return dataDir;
  const shared = join(SHARED_DIRECTORY, nameFor(dirname(path)));
  const mustEnter = existsSync(path) ? path : dirname(path);
  return !hasCluster(shared) && canEnter(serverAccount(), mustEnter) ? dataDir : shared;
}

/** Such as `pet-store-1a2b3c4d`: a recognizable name, and a hash of the whole path. */
const nameFor = (path: string): string => `${basename(path)}-${hash(path).slice(0, 8)}`;

const hash = (path: string): string => createHash('sha256').update(path).digest('hex');

/** Whether a data directory, which need not exist, has a database. */
export const hasCluster = (dataDir: string): boolean => existsSync(join(dataDir, 'cluster/PG_VERSION'));

/** Creates the missing parts of a data directory, except the cluster. */
export function prepareDataDirectory(dataDir: string): DataDirectory {
  // Other users may enter, because the server may run as one; each subdirectory is protected.
  createTraversableDirectory(dataDir);
  const root = realpathSync(dataDir);
  const cluster = join(root, 'cluster');
  const account = serverAccount(cluster);
  if (!canEnter(account, root)) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as root, and the user that it runs as cannot enter ${root}. Choose another DATA_DIR, run as another user, or set DATABASE_URL.`,
    );
  }
  const runDirectory = runDirectoryOf(root);
  createRunDirectory(runDirectory, account);
  return { root, cluster, logFile: join(root, 'postgres.log'), runDirectory, account };
}

/** The directory of the socket: within the data directory, or below /tmp where that path is too long for a socket. */
export function runDirectoryOf(root: string): string {
  const inside = join(root, 'run');
  if (Buffer.byteLength(join(inside, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX) return inside;
  return `/tmp/petstore-${hash(root).slice(0, 16)}`;
}

/** Rejects a directory of another user: anyone may create one below /tmp. */
function createRunDirectory(runDirectory: string, account: ServerAccount | undefined): void {
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 });
  const found = lstatSync(runDirectory);
  const own = process.getuid?.();
  const owner = account?.uid ?? own;
  if (!found.isDirectory() || (found.mode & 0o077) !== 0 || ![own, owner].includes(found.uid)) {
    throw new EmbeddedPostgresError(
      `${runDirectory} must be a directory of user ${String(owner)} with mode 700. Remove it, or choose another DATA_DIR.`,
    );
  }
  if (account !== undefined) lchownSync(runDirectory, account.uid, account.gid);
}
