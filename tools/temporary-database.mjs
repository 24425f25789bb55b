// An empty PostgreSQL of its own for a tool or a test run, gone when that ends: the embedded one in a new directory.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'petstore-temporary-';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Nothing here has to survive a crash. Commits wait for the log all the same, as in production. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/**
 * Starts a server. `url` is of its database, `socketDirectory` where it listens; `close` stops it and removes
 * everything, and may be called again. A signal does so too, and then ends the process.
 */
export async function openTemporaryDatabase({ settings = {} } = {}) {
  const openEmbeddedPostgres = await loadEmbedded();
  await removeLeftovers(openEmbeddedPostgres);
  const dataDir = join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);
  const server = await open(openEmbeddedPostgres, dataDir, settings).catch(async (error) => {
    await removeDirectory(dataDir);
    throw error;
  });
  const close = async () => {
    for (const signal of SIGNALS) process.off(signal, closeAndExit);
    await server.close();
    await removeDirectory(dataDir);
  };
  const closeAndExit = (signal) => {
    void close().finally(() => process.exit(128 + constants.signals[signal]));
  };
  for (const signal of SIGNALS) process.once(signal, closeAndExit);
  return { url: server.url, socketDirectory: server.socketDirectory, close };
}

/** Removes the directory of a process that was killed: its number is in the name of the directory. */
async function removeLeftovers(openEmbeddedPostgres) {
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    const dataDir = join(tmpdir(), name);
    // Opening takes over the server that may still run; closing stops it. Of what fails here, others are the owners.
    await open(openEmbeddedPostgres, dataDir, {}).then(
      (server) => server.close(),
      () => undefined,
    );
    if (!existsSync(join(dataDir, 'cluster/postmaster.pid')))
      await removeDirectory(dataDir).catch(() => undefined);
  }
}

function open(openEmbeddedPostgres, dataDir, settings) {
  return openEmbeddedPostgres({
    dataDir,
    settings: { ...SETTINGS, ...settings },
    log: () => undefined,
  });
}

/** The compiled one: tools run as they are. */
async function loadEmbedded() {
  const file = new URL('../dist/embedded/embedded-postgres.js', import.meta.url);
  if (!existsSync(file)) throw new Error('The service is not built yet: run "npm run build" first.');
  return (await import(file.href)).openEmbeddedPostgres;
}

const removeDirectory = (path) => rm(path, { recursive: true, force: true, maxRetries: 3 });

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
