import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import { SERVER_ENVIRONMENT } from './cluster.js';
import { type DataDirectory, SOCKET_NAME } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Failed statements are logged by their clients, and would fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

export interface ServerOptions {
  /** By name, such as `fsync`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Aborts the start and stops the server. */
  readonly signal: AbortSignal;
}

/** Poll interval for the server's state, which emits no events. */
export const POLL_MS = 20;

/** Recovery after a crash replays up to max_wal_size (1 GB), which takes minutes on a slow disk. */
export const START_MAX_MS = 300_000;

/** A fast shutdown writes one checkpoint. */
const STOP_MAX_MS = 60_000;

/** Another process starts or stops a server on the same cluster. */
const HELD_BY_ANOTHER = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/;

/** The process id of the server running on a cluster. */
export function findPostmaster(cluster: string): number | undefined {
  const { pid } = readLockFile(join(cluster, 'postmaster.pid'));
  return pid !== undefined && isPostmasterOf(cluster, pid) ? pid : undefined;
}

/**
 * Starts the server and waits until it accepts connections or has ended. False: another server holds the cluster.
 *
 * @throws EmbeddedPostgresError with the last lines of its log if it ends
 */
export async function startServer(
  { root, cluster, runDirectory, logFile, account }: DataDirectory,
  { postgres }: Binaries,
  { settings, signal }: ServerOptions,
): Promise<boolean> {
  removeStaleLockFiles(cluster, runDirectory);
  const log = openSync(logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const all = {
    ...SETTINGS,
    unix_socket_directories: `"${runDirectory.replaceAll('"', '""')}"`,
    ...settings,
  };
  const child = spawn(
    postgres,
    ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...account,
      cwd: cluster,
      env: SERVER_ENVIRONMENT,
      // A process group of its own: Ctrl-C in a terminal reaches only the service, which stops the server last.
      detached: true,
      // A file, not a pipe, because the server outlives a killed service.
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  child.unref();
  await once(child, 'spawn');
  // Even if an exception ends this process meanwhile.
  const stop = (): boolean => child.kill('SIGINT');
  process.once('exit', stop);
  try {
    while (child.exitCode === null && child.signalCode === null) {
      const { pid, isReady } = readLockFile(join(cluster, 'postmaster.pid'));
      if (pid === child.pid && isReady) return true;
      if (signal.aborted) child.kill('SIGINT');
      await delay(POLL_MS);
    }
  } finally {
    process.off('exit', stop);
  }
  signal.throwIfAborted();
  const output = readFileSync(logFile).subarray(logStart).toString();
  if (HELD_BY_ANOTHER.test(output)) return false;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL in ${root} did not start: ${lastLines(output)} (see ${logFile})`,
  );
}

/** Tells the server to close all connections and stop; returns its process id. */
export function endServer(cluster: string): number | undefined {
  const pid = findPostmaster(cluster);
  if (pid !== undefined) process.kill(pid, 'SIGINT');
  return pid;
}

/** Stops the server and waits for it to exit. */
export async function stopServer({ root, cluster, runDirectory }: DataDirectory): Promise<void> {
  const pid = endServer(cluster);
  if (pid === undefined) return;
  const giveUpAt = performance.now() + STOP_MAX_MS;
  while (findPostmaster(cluster) === pid) {
    if (performance.now() > giveUpAt) throw new Error(`the embedded PostgreSQL in ${root} is still stopping`);
    await delay(POLL_MS);
  }
  // Below /tmp the directory is of no further use.
  if (!runDirectory.startsWith(root)) rmSync(runDirectory, { recursive: true, force: true });
}

/**
 * Removes lock files that a machine crash left and that PostgreSQL would respect, because their process id now belongs to
 * another program. PostgreSQL also detects a running server by its shared memory.
 */
function removeStaleLockFiles(cluster: string, runDirectory: string): void {
  for (const file of [join(cluster, 'postmaster.pid'), join(runDirectory, `${SOCKET_NAME}.lock`)]) {
    const { pid } = readLockFile(file);
    if (pid !== undefined && !isPostmasterOf(cluster, pid)) rmSync(file, { force: true });
  }
}

/** The process id is on line 1, the state on line 8. */
function readLockFile(file: string): { readonly pid?: number; readonly isReady: boolean } {
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    const pid = Number(lines[0]);
    return { ...(pid > 0 && { pid }), isReady: lines[7]?.trim() === 'ready' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { isReady: false };
    throw error;
  }
}

/** The working directory of a server is its cluster, and a user who may read the cluster may also inspect its server. */
function isPostmasterOf(cluster: string, pid: number): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${String(pid)}/cwd`) === cluster;
    const command = execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return command.includes(` -D ${cluster} `);
  } catch {
    return false;
  }
}

const lastLines = (output: string): string => output.trim().split('\n').slice(-5).join(' | ');
