import { createHash } from 'node:crypto';
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The operating system's user as whom the server runs. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whom the server runs as when this process is root, because PostgreSQL refuses to run as root: the owner of the
 * cluster if there is one, else the user postgres, else nobody. Undefined for everybody else: it runs as ourselves.
 */
export function serverAccount(cluster: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = findUser('postgres') ?? findUser('nobody');
  if (account === undefined) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is no user postgres or nobody. Run as another user, or set DATABASE_URL.',
    );
  }
  return account;
}

/** Whether an account may enter a directory and all above it. By mode bits alone: an ACL is not seen. */
export function canEnter(account: ServerAccount | undefined, directory: string): boolean {
  if (account === undefined) return true;
  const parent = dirname(directory);
  return allows(account, statSync(directory), 0o1) && (parent === directory || canEnter(account, parent));
}

/** Whether an account may run a program: read and execute it, and enter the directories above. */
export function canRun(account: ServerAccount | undefined, program: string): boolean {
  if (account === undefined) return true;
  return allows(account, statSync(program), 0o5) && canEnter(account, dirname(program));
}

function allows(account: ServerAccount, { mode, uid, gid }: Stats, wanted: number): boolean {
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

function findUser(name: string): ServerAccount | undefined {
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === name && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

/** The socket's name follows from PostgreSQL's default port. */
const SOCKET_NAME = '.s.PGSQL.5432';
/** sockaddr_un holds 104 bytes on macOS and 108 on Linux, the closing zero included. */
const SOCKET_PATH_BYTES_MAX = 103;

/**
 * Where the server's socket lies (and its programs, if they must be copied): normally within the data directory.
 * Where that is too long, or out of the server's reach, a short directory whose path is kept in a symbolic link, so
 * that a process with another TMPDIR finds it too.
 */
export function runDirectoryOf(root: string, account: ServerAccount | undefined): string {
  const inside = join(root, 'run');
  if (isShort(inside) && canEnter(account, root)) return inside;
  const name = `petstore-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`;
  const link = join(root, 'run-elsewhere');
  const recorded = targetOf(link);
  if (recorded !== undefined && basename(recorded) === name) return recorded;
  // The link of a data directory that was copied or moved leads to the run directory of another server.
  rmSync(link, { force: true });
  const parent = [tmpdir(), '/tmp'].find((path) => isShort(join(path, name)) && canEnter(account, path));
  if (parent === undefined) {
    throw new EmbeddedPostgresError(
      `The paths ${root} and ${tmpdir()} are too long for a socket, or the user of PostgreSQL cannot enter them. Choose another DATA_DIR.`,
    );
  }
  return linkUnlessLinked(join(parent, name), link);
}

/** Makes the run directory the server's user's alone, and trusts no other that is there: below /tmp anybody may make one. */
export function prepareRunDirectory(runDirectory: string, account: ServerAccount | undefined): void {
  mkdirSync(runDirectory, { recursive: true, mode: 0o700 });
  const found = lstatSync(runDirectory);
  const own = process.getuid?.();
  const owner = account?.uid ?? own;
  if (!found.isDirectory() || (found.mode & 0o077) !== 0 || ![own, owner].includes(found.uid)) {
    throw new EmbeddedPostgresError(
      `${runDirectory} must be a directory of user ${String(owner)} with mode 700, but belongs to user ${String(found.uid)} and has mode ${(found.mode & 0o777).toString(8)}. Run as that user, remove the directory, or choose another DATA_DIR.`,
    );
  }
  // Only root could have made what belongs to root here, so nobody swaps it under this call.
  if (account !== undefined && found.uid !== account.uid) lchownSync(runDirectory, account.uid, account.gid);
}

/**
 * Leaves nothing behind below the temporary directory, except a copy of the programs for the next start. False when the
 * directory is not empty: its socket is about to go, or a simultaneous opener is faster.
 */
export function tidyRunDirectory(runDirectory: string, root: string): boolean {
  if (dirname(runDirectory) === root) return true;
  try {
    rmdirSync(runDirectory);
    return true;
  } catch {
    return !existsSync(runDirectory);
  }
}

export const socketLockFile = (runDirectory: string): string => join(runDirectory, `${SOCKET_NAME}.lock`);

const isShort = (directory: string) =>
  Buffer.byteLength(join(directory, SOCKET_NAME)) <= SOCKET_PATH_BYTES_MAX;

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** Returns where the link leads: for a simultaneous opener that came second, to the target of the first. */
function linkUnlessLinked(target: string, link: string): string {
  try {
    symlinkSync(target, link);
    return target;
  } catch (fault) {
    const first = targetOf(link);
    if (first === undefined) throw fault;
    return first;
  }
}

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
    `PostgreSQL does not run as root, and the user it runs as cannot enter ${directory}. Choose another DATA_DIR, or do not run as root.`,
  );
}
