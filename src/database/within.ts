import { UnavailableError } from './database-errors.js';

/**
 * The longest that one request waits for statements that follow one another. Admission takes up to 950 ms before, and a request
 * is answered or refused within two seconds.
 */
export const IN_TURN_MS = 1000;

/** Settles as the work does, or rejects after a time with an `UnavailableError`; the work goes on, and nobody hears of it. */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new UnavailableError('timed-out', `no answer in ${timeoutMs} ms`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
