import { ConfigError } from '../config/config.js';
import { EmbeddedPostgresError } from '../database/embedded/embedded-postgres.error.js';
import { ListenError } from '../monitoring/management/listen.error.js';
import { MigrationError } from '../database/migration-files.js';

/** Why the service cannot start, one line per problem, without a stack unless the code is at fault. */
export function explainStartError(error: unknown): string {
  if (error instanceof ConfigError) {
    return ['The configuration is invalid:', ...error.faults.map((fault) => `  ${fault}`)].join('\n');
  }
  if (error instanceof EmbeddedPostgresError || error instanceof MigrationError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ListenError)
    return explainListenError(error.cause, 'MANAGEMENT_PORT', 'MANAGEMENT_HOST');
  return explainListenError(error, 'PORT', 'HOST');
}

function explainListenError(error: unknown, portVariable: string, hostVariable: string): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port, address, hostname } = error as Error & {
    code?: string;
    port?: number;
    address?: string;
    hostname?: string;
  };
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use. Stop the other program, or set ${portVariable} to another port.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Set ${portVariable} to 1024 or above.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${hostVariable} ${address ?? hostname ?? ''} is not an address of this machine.`;
    case undefined:
    default:
      return error.stack ?? error.message;
  }
}
