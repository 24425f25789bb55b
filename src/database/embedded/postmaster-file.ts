import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataDirectory } from './data-directory.js';
import { codeOf } from './fault.js';
import { socketLockFile } from './run-directory.js';

/** What PostgreSQL tells about itself in the lock file of its cluster. */
export interface Postmaster {
  readonly pid: number;
  readonly status: 'starting' | 'ready' | 'stopping' | undefined;
}

/** An empty lock file younger than this may belong to a server that is about to write it. */
const EMPTY_FILE_AGE_MS = 2_000;

/** The server that runs on a cluster. Undefined when none does, whatever a lock file left by a crash says. */
export function findPostmaster(cluster: string): Postmaster | undefined {
  const lines = linesOf(join(cluster, 'postmaster.pid'));
  const pid = Number(lines[0]);
  if (!isPostmasterOf(cluster, pid)) return undefined;
  const status = (['starting', 'ready', 'stopping'] as const).find((word) => word === lines[7]?.trim());
  return { pid, status };
}

/**
 * Removes lock files that a crash of the machine left and that PostgreSQL itself would respect, because their process
 * number has meanwhile gone to another program. A server that runs all the same keeps its place: PostgreSQL also finds
 * it by its shared memory.
 */
export function removeStaleLockFiles({ cluster, runDirectory }: DataDirectory): void {
  for (const file of [join(cluster, 'postmaster.pid'), socketLockFile(runDirectory)]) {
    const pid = Number(linesOf(file)[0]);
    const stale = pid > 0 ? isAlive(pid) && !isPostmasterOf(cluster, pid) : ageMs(file) > EMPTY_FILE_AGE_MS;
    if (stale) rmSync(file, { force: true });
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (fault) {
    if (codeOf(fault) === 'ENOENT') return [];
    throw fault;
  }
}

const ageMs = (file: string) => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return codeOf(fault) === 'EPERM';
  }
}

/** A server's working directory is its cluster, and whoever may read the cluster may also look at its server. */
function isPostmasterOf(cluster: string, pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${String(pid)}/cwd`) === cluster;
    const command = execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return command.includes(` -D ${cluster} `);
  } catch {
    return false;
  }
}
