/** The mean delay in milliseconds; each is longer or shorter by up to half. Well below the second of `Retry-After`. */
export const DELAY_MS = 500;

/**
 * Delays the rejections of clients that repeat rejected requests at once: each rejection costs the process as much as any response.
 *
 * @param max how many at a time; further rejections are not delayed, because each delay holds a connection
 * @returns a function that resolves after the delay
 */
export function createDelay(max: number): () => Promise<void> {
  let delayed = 0;
  return async () => {
    if (delayed >= max) return;
    delayed += 1;
    await new Promise((resume) => setTimeout(resume, DELAY_MS * (0.5 + Math.random())));
    delayed -= 1;
  };
}
