import { resolve } from 'node:path';
import { prepareBinaries } from './binaries.js';
import { ensureCluster, hasCluster } from './cluster.js';
import { prepareDataDirectory } from './data-directory.js';
import { databaseUrl, ensureDatabase, holdMembership, type Purpose } from './membership.js';
import { toEmbeddedPostgresError } from './embedded-postgres.error.js';
import { findPostmaster } from './server.js';

export interface EmbeddedPostgresOptions {
  /** Created if missing, kept over restarts. */
  readonly dataDir: string;
  /** Of services one at a time may use a data directory; tools share it with it and with each other. */
  readonly purpose: Purpose;
  /** Server settings by name, such as `fsync`; without effect when the server runs already. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
}

export interface EmbeddedPostgres {
  /** Of the database `petstore`, for `pg` and for Prisma's adapter. */
  readonly url: string;
  /** Whether this call created that database. */
  readonly createdDatabase: boolean;
  /** Where the server's one Unix socket lies; other databases and the superuser `postgres` are reached through it, too. */
  readonly socketDirectory: string;
  /** Ends this use of the server and stops it if it was the last one. Never fails; may be called again. */
  close(): Promise<void>;
}

/**
 * Opens the PostgreSQL of a data directory: shares the one that runs, also one that outlived its service, or starts it.
 * Until `close` it is started again whenever it dies.
 * @throws EmbeddedPostgresError in one line for a human, also when another service uses the data directory
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { purpose, settings = {}, log } = options;
  const dataDir = resolve(options.dataDir);
  try {
    const directory = prepareDataDirectory(dataDir);
    const binaries = await prepareBinaries(directory);
    await ensureCluster(directory, binaries, settings['fsync'] !== 'off');
    const membership = await holdMembership({ directory, binaries, settings }, purpose, log);
    const createdDatabase = await ensureDatabase(membership.client).catch(async (fault: unknown) => {
      await membership.close();
      throw fault;
    });
    let closed: Promise<void> | undefined;
    return {
      url: databaseUrl(directory.runDirectory),
      createdDatabase,
      socketDirectory: directory.runDirectory,
      close: () => (closed ??= membership.close()),
    };
  } catch (fault) {
    throw toEmbeddedPostgresError(fault, dataDir);
  }
}

/** The URL of the `petstore` database of a data directory; undefined when no server is running there. */
export function runningEmbeddedUrl(dataDir: string): string | undefined {
  if (!hasCluster(dataDir)) return undefined;
  const { cluster, runDirectory } = prepareDataDirectory(resolve(dataDir));
  return findPostmaster(cluster)?.status === 'ready' ? databaseUrl(runDirectory) : undefined;
}
