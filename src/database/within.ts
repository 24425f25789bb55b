import { UnavailableError } from '../errors/database-errors.js';

/**
 * Settles as the work does, or rejects after a time with an `UnavailableError`; then the work goes on, and its result is ignored.
 * After a stall of the process, results that have already arrived are read before it rejects.
 */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
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
