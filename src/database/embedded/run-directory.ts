import { createHash } from 'node:crypto';
import {
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { canEnter, type ServerAccount } from './server-account.js';

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
      `${root} is too long for a socket or closed to the server's user, and so is ${tmpdir()}: choose another DATA_DIR`,
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
      `${runDirectory} must be a directory of user ${String(owner)} with mode 700, and is of user ${String(found.uid)} with mode ${(found.mode & 0o777).toString(8)}: run as that user, remove the directory, or choose another DATA_DIR`,
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
