import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
/** A deadline for what never happens: beyond what anything here takes, and before that of a test, which would not say what was awaited. */
const WITHIN_MS = 45_000;

/** Repeats a check until it throws no more, and resolves to what it returns; after `withinMs` its last error is thrown. */
export async function eventually<T>(check: () => T | Promise<T>, withinMs = WITHIN_MS): Promise<T> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
    }
    await delay(POLL_MS);
  }
}
