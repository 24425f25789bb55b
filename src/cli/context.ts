import type { Config } from '../config/config.js';
import type { Database } from '../database/database.js';
import { MigrationError } from '../database/migration.error.js';
import { pendingMigrations } from '../database/migrations.js';
import { type OpenedDatabase, openDatabase } from '../database/open-database.js';

/** What commands are given from outside. */
export interface CliContext {
  /** @throws ConfigError */
  readonly config: () => Config;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/** Opens the configured database for one command; brings its schema up to date when the command is for that. */
export const openForTool = (
  context: CliContext,
  { migrates }: { readonly migrates: boolean },
): Promise<OpenedDatabase> =>
  openDatabase({
    config: context.config().database,
    purpose: 'tool',
    migrates,
    log: { info: () => undefined, warn: (message) => context.complain(`${message}\n`) },
  });

/** Runs one command on the database and closes it again, whatever happens. */
export async function withDatabase<Result>(
  context: CliContext,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const opened = await openForTool(context, { migrates: false });
  try {
    if ((await pendingMigrations(opened.database.pool)).length > 0) {
      throw new MigrationError('The database is not up to date: run `petstore db migrate` first.');
    }
    return await work(opened.database);
  } finally {
    await opened.close();
  }
}
