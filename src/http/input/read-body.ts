import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.js';
import { bodyTooLarge } from './body-check.js';

type Done = (error: ApiError | null, bytes?: Buffer) => void;

/**
 * Reads a body of at most `bytesMax` bytes. Most are here whole by the time their request is let in, and are taken at once:
 * to wait for the events of their stream was a twentieth of what a new animal costs the process.
 *
 * @param done is called once, with the bytes or with why there are none
 */
export function readBody(request: IncomingMessage, bytesMax: number, done: Done): void {
  if (request.destroyed) done(brokenOff());
  else if (request.complete) take(request, bytesMax, done);
  else gather(request, bytesMax, done);
}

function take(request: IncomingMessage, bytesMax: number, done: Done): void {
  const bytes = request.read() as Buffer | null;
  if (bytes === null) done(null, NOTHING);
  else if (bytes.length > bytesMax) done(bodyTooLarge(bytesMax));
  else done(null, bytes);
}

function gather(request: IncomingMessage, bytesMax: number, done: Done): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    chunks.push(chunk);
    if (length > bytesMax) end(bodyTooLarge(bytesMax));
  };
  const onEnd = (): void => end(null);
  const onError = (error: Error): void => end(error instanceof ApiError ? error : brokenOff(error));
  const end = (error: ApiError | null): void => {
    request.off('data', onData).off('end', onEnd).off('error', onError);
    if (error === null) done(null, Buffer.concat(chunks));
    else done(error);
  };
  request.on('data', onData).on('end', onEnd).on('error', onError);
}

/** For the log alone: who asked is gone. */
const brokenOff = (cause?: Error): ApiError =>
  new ApiError('malformed_request', 'The body broke off.', { cause });

const NOTHING = Buffer.alloc(0);
