import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DatabaseConfig } from '../config/config.js';
import { dataDirectory } from '../embedded/data-directory.js';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { ConnectionPools } from './connection-pools.js';
import { migrate } from './migrations.js';
import { PrismaService } from './prisma.service.js';

/** The configured database, or the embedded one. */
export class Database implements OnApplicationShutdown {
  constructor(
    readonly url: string,
    /** The data directory of the embedded database; undefined for the configured one. */
    readonly dataDir: string | undefined,
    readonly prisma: PrismaService,
    private readonly closeServer: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /**
   * Rejects with the reason of the signal when it is aborted, and then leaves no server running.
   *
   * @throws EmbeddedPostgresError | MigrationError in one line for a human
   */
  static async open(config: DatabaseConfig, log: Logger, interrupted: AbortSignal): Promise<Database> {
    const server =
      config.url === undefined ? await openEmbedded(config, log, interrupted) : ofUrl(config.url);
    try {
      const migration = migrate({
        connectionString: server.url,
        onApplied: (name) => log.info(`applied migration ${name}`),
        log,
      });
      await Promise.race([migration, rejectOnAbort(interrupted)]);
      const pools = new ConnectionPools({
        url: server.url,
        namedStatements: config.namedStatements,
        poolMax: config.poolMax,
        connectTimeoutMs: config.connectTimeoutMs,
        statementTimeoutMs: config.statementTimeoutMs,
        onConnectionLost: (error) => log.warn(`lost a database connection: ${error.message}`),
        onWarning: (message) => log.warn(message),
      });
      const prisma = new PrismaService(pools);
      // Loads what its first query would wait for.
      await prisma.$connect();
      return new Database(server.url, server.dataDir, prisma, () => server.close());
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Closes the connections, then stops the embedded server. */
  async close(): Promise<void> {
    await this.prisma.close();
    await this.closeServer();
  }

  onApplicationShutdown(): Promise<void> {
    return this.close();
  }
}

interface Server {
  readonly url: string;
  readonly dataDir: string | undefined;
  close(): Promise<void>;
}

const ofUrl = (url: string): Server => ({ url, dataDir: undefined, close: () => Promise.resolve() });

async function openEmbedded(config: DatabaseConfig, log: Logger, interrupted: AbortSignal): Promise<Server> {
  const dataDir = dataDirectory(config.dataDir);
  const server = await openEmbeddedPostgres({
    dataDir,
    log: (message) => log.info(message),
    signal: interrupted,
  });
  return { url: server.url, dataDir, close: () => server.close() };
}

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
