// The keys of the benchmark: real ones, made anew from their numbers, so that nothing has to be kept between runs.
import { createHash } from 'node:crypto';
import { checksumOf, hashApiKey } from '../dist/auth/api-key.js';

/** Keys that send requests; the database may hold many more. */
export const ACTIVE_KEYS = 1000;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The plain text of an active key. Anybody can make it, and that is no matter: it opens a database of the benchmark only.
 *
 * @param {number} number from 0 on
 */
export function plainKey(number) {
  const bytes = createHash('sha256').update(`benchmark key ${number}`).digest();
  const body = `psk_${Array.from(bytes, (byte) => DIGITS[byte % DIGITS.length]).join('')}`;
  return body + checksumOf(body);
}

/** What a database holds of the active keys: parallel lists of SHA-256, display prefix and number. */
export function storedKeys() {
  const plain = Array.from({ length: ACTIVE_KEYS }, (_, number) => plainKey(number));
  return { hashes: plain.map(hashApiKey), prefixes: plain.map((key) => key.slice(0, 12)) };
}
