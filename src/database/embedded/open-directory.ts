import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { canEnter, serverAccount, type ServerAccount } from './server-account.js';

/** Where root puts files for the server's account if that account cannot enter the project's directory. */
export const SHARED_DIRECTORY = '/var/lib/petstore';

/** The directory for temporary files, or /tmp if the account cannot enter that: some systems have one per user. */
export const temporaryDirectory = (account: ServerAccount | undefined = serverAccount()): string =>
  canEnter(account, tmpdir()) ? tmpdir() : '/tmp';

/** Creates a directory, and those above it, that other users can enter, whatever the umask of this process. */
export function createTraversableDirectory(path: string): void {
  const umask = process.umask(0o022);
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  } finally {
    process.umask(umask);
  }
}

/** Whether a directory exists, belongs to this user, and cannot be changed by others. */
export function isOwnDirectory(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

/** Rejects a directory of another user: anyone may create one below /tmp. */
export function makeOwnDirectory(path: string): void {
  createTraversableDirectory(path);
  if (isOwnDirectory(path)) return;
  throw new EmbeddedPostgresError(
    `${path} must be a directory of user ${String(process.getuid?.())} that others cannot write to. Remove it.`,
  );
}
