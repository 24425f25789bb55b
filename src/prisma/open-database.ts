import type { DatabaseConfig } from '../config/config.js';
import { ConnectionPools } from './connection-pools.js';
import { PrismaService } from './prisma.service.js';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { migrate } from './migrations.js';

export interface OpenDatabaseOptions {
  readonly config: DatabaseConfig;
  /** Of services one at a time may use an embedded database; tools share it. */
  readonly purpose: 'service' | 'tool';
  /** Whether the database is brought to this release's schema first. */
  readonly migrates: boolean;
  readonly log: DatabaseLog;
}

export interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface OpenedDatabase {
  readonly url: string;
  readonly prisma: PrismaService;
  readonly isEmbedded: boolean;
  /** Closes the connections, then stops the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

/**
 * Opens the configured database, or the embedded one.
 *
 * @throws EmbeddedPostgresError | MigrationError in one line for a human
 */
export async function openDatabase({
  config,
  purpose,
  migrates,
  log,
}: OpenDatabaseOptions): Promise<OpenedDatabase> {
  const server = await openServer(config, purpose, log);
  if (migrates) {
    try {
      await migrate({
        connectionString: server.url,
        onApplied: (name) => log.info(`applied the migration ${name}`),
        log,
      });
    } catch (error) {
      await server.close();
      throw error;
    }
  }
  const pools = new ConnectionPools({
    url: server.url,
    namedStatements: config.namedStatements,
    poolMax: config.poolMax,
    connectTimeoutMs: config.connectTimeoutMs,
    statementTimeoutMs: config.statementTimeoutMs,
    onConnectionLost: (error) => log.warn(`a database connection was lost: ${error.message}`),
    onBlocked: (message) => log.warn(message),
  });
  const prisma = new PrismaService(pools);
  // Loads what its first query would wait for.
  await prisma.$connect();
  return {
    url: server.url,
    prisma,
    isEmbedded: config.url === undefined,
    close: async () => {
      await prisma.close();
      await server.close();
    },
  };
}

interface Server {
  readonly url: string;
  close(): Promise<void>;
}

async function openServer(
  { url, dataDir }: DatabaseConfig,
  purpose: 'service' | 'tool',
  log: DatabaseLog,
): Promise<Server> {
  if (url !== undefined) return { url, close: () => Promise.resolve() };
  return await openEmbeddedPostgres({ dataDir, purpose, log: (message) => log.info(message) });
}
