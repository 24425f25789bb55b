import { constants, readFileSync, writeSync } from 'node:fs';

/**
 * How long what takes no more bytes (a pipe that is full) is asked again. A reader who is alive makes room within milliseconds,
 * and empties the whole of a log's memory in this time. For one who is not, no process stays that cannot serve any more: it
 * has to be started again, before its supervisor's patience ends.
 */
const FULL_MS = 1_000;

/** Between two times that it is asked: a pipe holds 64 KiB, so a megabyte takes 16 of them. */
const PAUSE_MS = 1;

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** Holds up the whole process. For its exit, when nothing else can run any more. */
export const pauseSync = (ms: number): void => void Atomics.wait(asleep, 0, 0, ms);

/**
 * Writes all bytes before it returns, or gives up when nobody takes them.
 * @throws what `writeSync` throws
 */
export function writeAllSync(fd: number, bytes: Buffer): void {
  const giveUp = performance.now() + FULL_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (fault) {
      if (!isFull(fault) || performance.now() >= giveUp) throw fault;
      pauseSync(PAUSE_MS);
    }
  }
}

/**
 * Whether a write may take a part of the bytes, or none, rather than wait until it can take them all. Linux tells; elsewhere
 * it may be so.
 */
export function mayRefuse(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0;
  } catch {
    return true;
  }
}

const isFull = (fault: unknown): boolean =>
  typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 'EAGAIN';
