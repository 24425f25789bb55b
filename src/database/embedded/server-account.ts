import { readFileSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
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
      'PostgreSQL does not run as root and there is no user postgres or nobody: run as another user, or set DATABASE_URL',
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
