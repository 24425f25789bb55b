import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';

/** JSON lines. A header with a key never gets into one, and the destination masks what else looks like a key. */
export const createLogger = (level: string, destination: DestinationStream = pino.destination(2)): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['headers.authorization', 'req.headers.authorization', 'request.headers.authorization'],
    },
    destination,
  );

/** Passes on the warnings and errors of Nest. An exception that ends the start is left to the caller, who gets it as well. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    warn: (message: unknown) => logger.warn(text(message)),
    error: (message: unknown) => {
      if (!(message instanceof Error)) logger.error(text(message));
    },
    fatal: (message: unknown) => logger.fatal(text(message)),
  };
}

const text = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message));
