import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

/** The user of the operating system that the server runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL does not run as root. If this process is root, the server runs as the owner of the cluster, or for a new one as the
 * user postgres or nobody. Undefined for other users: it runs as the same user.
 */
export function serverAccount(cluster?: string): ServerAccount | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = cluster === undefined ? undefined : statSync(cluster, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const account = findUser('postgres') ?? findUser('nobody');
  if (account !== undefined) return account;
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and there is no user postgres or nobody. Run as another user, or set DATABASE_URL.',
  );
}

function findUser(name: string): ServerAccount | undefined {
  const line = new RegExp(`^${name}:[^:]*:([1-9]\\d*):(\\d+):`, 'm');
  const [, uid, gid] = line.exec(readFileSync('/etc/passwd', 'utf8')) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

/** Whether the account may enter a directory and all above it, by mode bits. */
export function canEnter(account: ServerAccount | undefined, directory: string): boolean {
  const parent = dirname(directory);
  return allows(account, directory, 0o1) && (parent === directory || canEnter(account, parent));
}

/** Whether the account may read and execute a program. */
export function canRun(account: ServerAccount | undefined, program: string): boolean {
  return allows(account, program, 0o5) && canEnter(account, dirname(program));
}

function allows(account: ServerAccount | undefined, path: string, wanted: number): boolean {
  if (account === undefined) return true;
  const { mode, uid, gid } = statSync(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
