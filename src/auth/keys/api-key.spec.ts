import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checksumOf, hasApiKeyForm } from './api-key.js';

const DIGITS = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const body = fc
  .string({ unit: fc.constantFrom(...DIGITS), minLength: 32, maxLength: 32 })
  .map((random) => `psk_${random}`);
const KEY = 'psk_0123456789abcdefghijklmnopqrstuv';
const key = `${KEY}${checksumOf(KEY)}`;

describe('the form of an API key', () => {
  it('has a checksum, so that any wrong character is found without the database', () => {
    fc.assert(
      fc.property(body, fc.nat(41), fc.constantFrom(...DIGITS), (text, place, digit) => {
        const valid = text + checksumOf(text);
        expect(hasApiKeyForm(valid)).toBe(true);
        const changed = valid.slice(0, place) + digit + valid.slice(place + 1);
        expect(hasApiKeyForm(changed)).toBe(changed === valid);
      }),
    );
  });

  it.each(['', 'psk_', key.slice(0, -1), `${key}0`, ` ${key}`, key.replace('psk', 'PSK'), `${key}\n`])(
    'is not that of %j',
    (text) => {
      expect(hasApiKeyForm(text)).toBe(false);
    },
  );
});
