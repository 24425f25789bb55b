import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino } from 'pino';
import sonicBoom from 'sonic-boom';
import { maskKeys } from '../../auth/keys/mask-keys.js';

/** JSON lines without API keys, on standard error unless a `destination` is given. */
export const createLogger = (level: string, destination: DestinationStream = openStandardError()): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: maskKeys } },
    destination,
  );

/** Bytes that a pipe takes as a whole or not at all (PIPE_BUF of Linux), so that parts of lines never mix. */
const CHUNK = 4096;

/** Milliseconds after which a smaller chunk is written as well. */
const FLUSH_MS = 100;

/** Bytes that wait for a slow reader: about five seconds of lines at full load. Further lines are dropped. */
const WAITING_MAX = 32 * 1024 * 1024;

/** Tries, 100 ms apart, to write into a full pipe at the exit, which must not wait for a reader that has stopped. */
const RETRIES_MAX = 10;

/**
 * Standard output belongs to the output of commands. Node opens a pipe so that writing never waits: what a full one does not take
 * is written with a later line, or at the exit, also after a crash. A write that another thread has in flight at the exit might
 * fail without a trace, so none is. pino's own destination has the version of sonic-boom before, which never exits when the last
 * write fails.
 *
 * @param minLength bytes that are collected for a write; with 0 each line is written at once, as people at a terminal expect
 */
export function openStandardError(minLength = CHUNK - 1): DestinationStream {
  let isExiting = false;
  let retries = 0;
  const stream = new sonicBoom.SonicBoom({
    fd: process.stderr.fd,
    sync: true,
    minLength,
    maxWrite: CHUNK,
    maxLength: WAITING_MAX,
    periodicFlush: FLUSH_MS,
    retryEAGAIN: () => isExiting && retries++ < RETRIES_MAX,
  });
  let dropped = 0;
  stream.on('drop', () => (dropped += 1));
  stream.on('drain', () => {
    if (dropped === 0) return;
    const msg = `${String(dropped)} log lines were dropped, because nothing read them`;
    dropped = 0;
    stream.write(
      `${JSON.stringify({ level: pino.levels.values['warn'], time: new Date().toISOString(), msg })}\n`,
    );
  });
  // Neither a full pipe or disk nor a reader that has gone may end the service. The next write tries again.
  stream.on('error', () => undefined);
  process.on('exit', () => {
    isExiting = true;
    try {
      stream.flushSync();
    } catch {
      // There is no other place to report it.
    }
  });
  return stream;
}

/** Passes on what Nest says; what it does at the start is for `debug`. An exception that ends the start is left to the caller, who gets it as well. */
export function nestLogger(logger: Logger): LoggerService {
  return {
    log: (message: unknown) => logger.debug(text(message)),
    warn: (message: unknown) => logger.warn(text(message)),
    error: (message: unknown) => {
      if (!(message instanceof Error)) logger.error(text(message));
    },
    fatal: (message: unknown) => logger.fatal(text(message)),
  };
}

const text = (message: unknown): string => (typeof message === 'string' ? message : JSON.stringify(message));
