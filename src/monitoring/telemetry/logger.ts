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

/** Bytes that a pipe writes atomically (PIPE_BUF on Linux), so that lines are never interleaved. */
const CHUNK = 4096;

/** Milliseconds after which a smaller chunk is written as well. */
const FLUSH_MS = 100;

/** Bytes that wait for a slow reader: about five seconds of lines at full load. Further lines are dropped. */
const WAITING_MAX = 32 * 1024 * 1024;

/** Attempts, 100 ms apart, to write to a full pipe at exit, which must not wait for a stopped reader. */
const RETRIES_MAX = 10;

/**
 * Standard output is for the output of commands. Node.js pipes never block on a write: what does not fit into a full one
 * is written with a later line, or at exit, even after a crash. A write that another thread has in flight at exit might
 * fail silently, so writes are sync. pino's own destination uses an older sonic-boom, which never exits when the last
 * write fails.
 *
 * @param minLength bytes that are collected for a write; with 0 each line is written at once, as expected at a terminal
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
    const msg = `${String(dropped)} log lines were dropped: the reader was too slow`;
    dropped = 0;
    stream.write(
      `${JSON.stringify({ level: pino.levels.values['warn'], time: new Date().toISOString(), msg })}\n`,
    );
  });
  // A full pipe or disk, or a closed reader, must not end the service. The next write tries again.
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

/** Forwards Nest's messages; startup messages go to `debug`. Startup exceptions are not logged, because the caller gets them as well. */
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
