/**
 * The delay of a rejection, more or less by half, well below the second of `Retry-After`. A rejection costs the process as much as
 * any response, and of six hundred connections that repeat their requests at once it makes a thousand a second.
 */
export const DELAY_MS = 500;

/**
 * Delays the rejections of clients that repeat rejected requests at once: they would take the time of all others.
 *
 * @param max how many at a time; past them a rejection comes at once, because each holds a connection, perhaps one of a proxy
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
