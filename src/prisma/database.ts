import type { OnApplicationShutdown } from '@nestjs/common';
import type { DatabaseConfig } from '../config/config.js';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { ConnectionPools } from './connection-pools.js';
import { migrate } from './migrations.js';
import { PrismaService } from './prisma.service.js';

export interface OpenDatabaseOptions {
  readonly config: DatabaseConfig;
  readonly log: DatabaseLog;
}

export interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

/** The configured database, or the embedded one. */
export class Database implements OnApplicationShutdown {
  constructor(
    readonly url: string,
    readonly isEmbedded: boolean,
    readonly prisma: PrismaService,
    private readonly closeServer: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** @throws EmbeddedPostgresError | MigrationError in one line for a human */
  static async open({ config, log }: OpenDatabaseOptions): Promise<Database> {
    const server = await openServer(config, log);
    try {
      await migrate({
        connectionString: server.url,
        onApplied: (name) => log.info(`applied migration ${name}`),
        log,
      });
      const pools = new ConnectionPools({
        url: server.url,
        namedStatements: config.namedStatements,
        poolMax: config.poolMax,
        connectTimeoutMs: config.connectTimeoutMs,
        statementTimeoutMs: config.statementTimeoutMs,
        onConnectionLost: (error) => log.warn(`lost a database connection: ${error.message}`),
        onBlocked: (message) => log.warn(message),
      });
      const prisma = new PrismaService(pools);
      // Loads what its first query would wait for.
      await prisma.$connect();
      return new Database(server.url, config.url === undefined, prisma, () => server.close());
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
  close(): Promise<void>;
}

async function openServer({ url, dataDir }: DatabaseConfig, log: DatabaseLog): Promise<Server> {
  if (url !== undefined) return { url, close: () => Promise.resolve() };
  return await openEmbeddedPostgres({ dataDir, log: (message) => log.info(message) });
}
