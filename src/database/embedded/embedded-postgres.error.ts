/** Why the embedded PostgreSQL cannot be used, in one line: what is wrong and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}
