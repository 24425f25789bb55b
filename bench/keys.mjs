// The API keys of the benchmark: the same in every run.
import { createHash } from 'node:crypto';
import { checksumOf, hashApiKey } from '../dist/auth/keys/api-key.js';

/** Keys that send requests; the database has many more. */
export const ACTIVE_KEYS = 1000;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The plain text of an active key. It is no secret: it opens a database of the benchmark only. */
export function plainKey(number) {
  const bytes = createHash('sha256').update(`benchmark key ${number}`).digest();
  const body = `psk_${Array.from(bytes, (byte) => DIGITS[byte % DIGITS.length]).join('')}`;
  return body + checksumOf(body);
}

/** The stored part of the active keys: parallel lists of SHA-256 and display prefix. */
export function storedKeys() {
  const plain = Array.from({ length: ACTIVE_KEYS }, (_, number) => plainKey(number));
  return { hashes: plain.map(hashApiKey), prefixes: plain.map((key) => key.slice(0, 12)) };
}
