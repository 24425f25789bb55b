import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

/** JSON lines on standard error: standard output belongs to what a command prints. A key never gets into a line. */
export const createLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['headers.authorization', 'req.headers.authorization', 'request.headers.authorization'],
    },
    pino.destination({ fd: 2, sync: false }),
  );

/** Passes on what Nest says of itself, as far as it is a warning at least. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    warn: (message: unknown) => logger.warn(text(message)),
    error: (message: unknown) => logger.error(text(message)),
    fatal: (message: unknown) => logger.fatal(text(message)),
  };
}

const text = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message));
