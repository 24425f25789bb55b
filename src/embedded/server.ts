import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import { SERVER_ENVIRONMENT } from './cluster.js';
import {
  asServerSees,
  type DataDirectory,
  prepareRunDirectory,
  socketLockFile,
  tidyRunDirectory,
} from './data-directory.js';
import { codeOf, EmbeddedPostgresError } from './embedded-postgres.error.js';

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

/** Everything that is needed to start the server of a data directory. */
export interface Server {
  readonly directory: DataDirectory;
  readonly binaries: Binaries;
  /** Server settings by name, over the ones below; they hold when this process is the one that starts the server. */
  readonly settings: Readonly<Record<string, string>>;
}

const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The log tells how the server is; statements that fail are logged by whoever sent them, and would fill the disk.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** How often a condition that no event announces is looked at. */
export const POLL_MS = 20;
/** Recovery after a crash replays up to max_wal_size (1 GB), which takes minutes on a slow disk. */
export const START_MAX_MS = 300_000;
/** A fast shutdown writes one checkpoint. */
const STOP_MAX_MS = 60_000;

/** How long a server that has ended may take to be gone from its socket's directory, on a machine with much else to do. */
const TIDY_MAX_MS = 1_000;
/** Another server holds the cluster or its memory: a simultaneous opener's, or the last processes of a killed one. */
const HELD_BY_ANOTHER = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/;

/**
 * Starts the server and waits until it is ready. False: another one holds the cluster, or it was killed.
 * @throws EmbeddedPostgresError with the log's last lines when the server ends instead
 */
export async function startServer(server: Server): Promise<boolean> {
  const { directory } = server;
  if (findPostmaster(directory.cluster) !== undefined) return false;
  prepareRunDirectory(directory.runDirectory, directory.account);
  removeStaleLockFiles(directory);
  const log = openSync(directory.logFile, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const child = spawnServer(server, log);
  closeSync(log);
  await once(child, 'spawn');
  const giveUp = performance.now() + START_MAX_MS;
  while (child.exitCode === null && child.signalCode === null && performance.now() < giveUp) {
    const postmaster = findPostmaster(directory.cluster);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') return true;
    await delay(POLL_MS);
  }
  const output = readFileSync(directory.logFile).subarray(logStart).toString();
  // Killed from outside, or its run directory was tidied away by the last user of the server before: try again.
  if (child.signalCode !== null || !existsSync(directory.runDirectory)) return false;
  if (HELD_BY_ANOTHER.test(output)) return false;
  const lastLines = output.trim().split('\n').slice(-5).join(' | ');
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL in ${directory.root} did not start: ${lastLines} (see ${directory.logFile})`,
  );
}

/** Stops the server, which ends all other connections, and waits for its end. False: it takes too long or is not ours. */
export async function stopServer({ directory }: Server): Promise<boolean> {
  const { cluster } = directory;
  const pid = findPostmaster(cluster)?.pid;
  if (pid === undefined) return false;
  process.kill(pid, 'SIGINT');
  const giveUp = performance.now() + STOP_MAX_MS;
  while (findPostmaster(cluster)?.pid === pid) {
    if (performance.now() > giveUp) return false;
    await delay(POLL_MS);
  }
  const tidied = performance.now() + TIDY_MAX_MS;
  while (!tidyRunDirectory(directory.runDirectory, directory.root) && performance.now() < tidied) {
    await delay(POLL_MS);
  }
  return true;
}

function spawnServer({ directory, binaries, settings }: Server, log: number): ChildProcess {
  const { cluster, runDirectory, account } = directory;
  // A list, in which quotes keep a path with a comma whole.
  const sockets = `"${runDirectory.replaceAll('"', '""')}"`;
  const all = Object.entries({ ...SETTINGS, unix_socket_directories: sockets, ...settings });
  const child = spawn(
    binaries.postgres,
    ['-D', asServerSees(cluster, account), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...account,
      cwd: cluster,
      env: SERVER_ENVIRONMENT,
      // A group of its own: Ctrl-C in the terminal reaches the service alone, which first ends its work and then the server.
      detached: true,
      // A file, no pipe: it outlives this process, and nobody has to read it for the server to go on.
      stdio: ['ignore', log, log],
    },
  );
  child.unref();
  return child;
}
