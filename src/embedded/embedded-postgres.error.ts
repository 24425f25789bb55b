import { messageOf } from '../common/errors/describe-fault.js';

/** Why the embedded PostgreSQL cannot be used, in one line for a human: what is wrong and what to do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Any fault of the embedded server as an EmbeddedPostgresError that names the data directory. */
export function toEmbeddedPostgresError(fault: unknown, dataDir: string): EmbeddedPostgresError {
  if (fault instanceof EmbeddedPostgresError) return fault;
  return new EmbeddedPostgresError(
    `Cannot use the embedded PostgreSQL in ${dataDir}: ${messageOf(fault)}. Fix this, choose another DATA_DIR, or set DATABASE_URL.`,
    { cause: fault },
  );
}

/** The code of a system or database error, such as `ENOENT`; empty for all else. */
export function codeOf(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null || !('code' in fault)) return '';
  return typeof fault.code === 'string' ? fault.code : '';
}
