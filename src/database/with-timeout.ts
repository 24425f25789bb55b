import { UnavailableError } from '../errors/database-errors.js';

/**
 * Settles with the work, or rejects with an `UnavailableError` after a time-out; the work then continues, its result ignored.
 * After a process stall, results that have already arrived are read before it rejects.
 */
export async function withTimeout<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      setImmediate(() => reject(new UnavailableError('timed-out', `no response in ${timeoutMs} ms`)));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
