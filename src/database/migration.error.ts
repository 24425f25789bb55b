/**
 * Why the database could not be brought to this release's schema, in a few words for a human. It has no stack: what
 * helps is in the message, and the fault is in SQL or in the database.
 */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  /** @param migration the migration that failed; undefined when it did not come to one */
  constructor(
    message: string,
    readonly migration?: string,
  ) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}
