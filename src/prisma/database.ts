import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DatabaseConfig } from '../config/config.js';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { ConnectionPools } from './connection-pools.js';
import { migrate } from './migrations.js';
import { PrismaService } from './prisma.service.js';

/** The configured database, or the embedded one. */
export class Database implements OnApplicationShutdown {
  constructor(
    readonly url: string,
    readonly isEmbedded: boolean,
    readonly prisma: PrismaService,
    private readonly closeServer: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** @throws EmbeddedPostgresError | MigrationError in one line for a human */
  static async open(config: DatabaseConfig, log: Logger): Promise<Database> {
    const server =
      config.url === undefined
        ? await openEmbeddedPostgres({ dataDir: config.dataDir, log: (message) => log.info(message) })
        : { url: config.url, close: () => Promise.resolve() };
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
