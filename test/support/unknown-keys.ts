import { randomBytes } from 'node:crypto';
import { checksumOf } from '../../src/auth/keys/api-key.js';

let addresses = 0;

/** An address that no other request of this file came from, for `X-Forwarded-For`. */
export function newAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
}

/** The text with the six characters that make it a well-formed key. */
const withChecksum = (body: string): string => `${body}${checksumOf(body)}`;

/** A well-formed key that was never issued. */
export const unknownKey = (): string => withChecksum(`psk_${randomBytes(16).toString('hex')}`);

/** A key with a wrong checksum: its last character is another. */
export function miscopiedKey(): string {
  const key = unknownKey();
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
}
