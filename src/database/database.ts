import { describeProtection } from '../config/database-tls.js';
import type { DatabaseConfig } from '../config/config.js';
import { dataDirectory } from './embedded/data-directory.js';
import { type EmbeddedPostgres, openEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { ConnectionPools } from './connection-pools.js';
import { migrateWhenReachable } from './migrations.js';
import { PrismaService } from './prisma.service.js';
import type { Logger } from '../config/config.module.js';

/** The configured database, or the embedded one. */
export class Database {
  constructor(
    readonly url: string,
    /** The data directory of the embedded database; undefined for the configured one. */
    readonly dataDir: string | undefined,
    readonly prisma: PrismaService,
    private readonly closeServer: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /**
   * Waits for a database that cannot be reached yet. Rejects with the reason of the signal when it is aborted, and then leaves no server
   * running.
   *
   * @throws EmbeddedPostgresError | MigrationError with a one-line message
   */
  static async open(config: DatabaseConfig, log: Logger, interrupted: AbortSignal): Promise<Database> {
    const server: Pick<EmbeddedPostgres, 'url' | 'close'> & { readonly dataDir?: string } =
      config.url === undefined
        ? await openEmbeddedPostgres({
            dataDir: dataDirectory(config.dataDir),
            log: (message) => log.info(message),
            signal: interrupted,
          })
        : { url: config.url, close: () => Promise.resolve() };
    try {
      interrupted.throwIfAborted();
      const protection = describeProtection(server.url);
      if (protection.needsWarning) log.warn(protection.text);
      const onApplied = (name: string): void => log.debug(`applied migration ${name}`);
      const applied = await migrateWhenReachable(
        { connectionString: server.url, onApplied, log },
        interrupted,
      );
      if (applied.length > 0)
        log.info(`applied ${applied.length} migrations, the last one is ${applied.at(-1)}`);
      const pools = new ConnectionPools({
        ...config,
        url: server.url,
        onConnectionLost: (error) => log.warn(`lost a database connection: ${error.message}`),
        onWarning: (message) => log.warn(message),
      });
      const prisma = new PrismaService(pools);
      // Preloads what the first query needs.
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
}
