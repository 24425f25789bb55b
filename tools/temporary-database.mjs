// An empty PostgreSQL of its own for a tool or a test run, gone when that ends: the embedded one in a new directory.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, statfs } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'petstore-temporary-';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Nothing here must survive a crash, but commits wait for the WAL, as in production. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/** Linux's in-memory file system, and the free bytes that a database needs there: containers have 64 MiB. */
const MEMORY = '/dev/shm';
const MEMORY_FREE_MIN = 8 * 2 ** 30;

/**
 * Starts a server. `url` is of its database, `socketDirectory` where it listens; `close` stops it and removes
 * everything, and may be called again. A signal does so too, and then ends the process. With `inMemory` its files are in memory
 * if there is plenty: then to create a database, which has hundreds of files, takes a tenth of the time.
 */
export async function openTemporaryDatabase({ settings = {}, inMemory = false } = {}) {
  const { openEmbeddedPostgres, temporaryDirectory } = await loadEmbedded();
  const directory = inMemory && (await isRoomy(MEMORY)) ? MEMORY : temporaryDirectory();
  await removeLeftovers(openEmbeddedPostgres, directory);
  const dataDir = join(directory, `${PREFIX}${process.pid}-${randomUUID()}`);
  const interruption = new AbortController();
  const opening = open(openEmbeddedPostgres, dataDir, settings, interruption.signal);
  const close = async () => {
    interruption.abort();
    for (const signal of SIGNALS) process.off(signal, closeAndExit);
    await opening.then(
      (server) => server.close(),
      () => undefined,
    );
    await removeDirectory(dataDir);
  };
  const closeAndExit = (signal) => {
    void close().finally(() => process.exit(128 + constants.signals[signal]));
  };
  for (const signal of SIGNALS) process.once(signal, closeAndExit);
  try {
    const server = await opening;
    return { url: server.url, socketDirectory: server.socketDirectory, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Removes the directory of a killed process: its name contains the PID. */
async function removeLeftovers(openEmbeddedPostgres, directory) {
  for (const name of await readdir(directory)) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    const dataDir = join(directory, name);
    // Opening takes over the server that may still run; closing stops it. If opening fails, another process owns it.
    await open(openEmbeddedPostgres, dataDir, {}).then(
      (server) => server.close(),
      () => undefined,
    );
    if (!existsSync(join(dataDir, 'cluster/postmaster.pid')))
      await removeDirectory(dataDir).catch(() => undefined);
  }
}

function open(openEmbeddedPostgres, dataDir, settings, signal) {
  return openEmbeddedPostgres({
    dataDir,
    signal,
    settings: { ...SETTINGS, ...settings },
    log: () => undefined,
  });
}

/** The compiled one, as tools are not compiled, and a directory that its server can enter. */
async function loadEmbedded() {
  const folder = new URL('../dist/database/embedded/', import.meta.url);
  if (!existsSync(folder)) throw new Error('The service is not built yet: run "npm run build" first.');
  const { openEmbeddedPostgres } = await import(new URL('embedded-postgres.js', folder).href);
  const { temporaryDirectory } = await import(new URL('open-directory.js', folder).href);
  return { openEmbeddedPostgres, temporaryDirectory };
}

const isRoomy = (path) =>
  statfs(path).then(
    ({ bavail, bsize }) => bavail * bsize >= MEMORY_FREE_MIN,
    () => false,
  );

const removeDirectory = (path) => rm(path, { recursive: true, force: true, maxRetries: 3 });

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
