import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decode, encodedKey, FOREIGN_KEY } from '../../../test/support/encoded-keys.js';
import { looksLikeKey, maskKeys } from './mask-keys.js';
import { cases } from '../../../test/support/cases.js';

const baseContext = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('%', '%zz', '%C3', '7', 'p', 's', '/', '"', '\n', '🐕') }),
);

const inFullWidth = (text: string): string =>
  text.replaceAll(/[!-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfe_e0));

describe('an API key', () => {
  it.each([
    ['plain', FOREIGN_KEY],
    ['with its underscore encoded', FOREIGN_KEY.replace('_', '%5F')],
    ['with its underscore encoded in lower case', FOREIGN_KEY.replace('_', '%5f')],
    ['with its first letter encoded', FOREIGN_KEY.replace('p', '%70')],
    ['cut off', FOREIGN_KEY.slice(0, 20)],
    ['in upper case', FOREIGN_KEY.toUpperCase()],
    ['in mixed case, encoded', FOREIGN_KEY.replace('psk_', '%50Sk%5F')],
    ['with its underscore in full width', FOREIGN_KEY.replace('_', '＿')],
    ['with its underscore in full width, encoded', FOREIGN_KEY.replace('_', encodeURIComponent('＿'))],
    ['in full width', inFullWidth(FOREIGN_KEY)],
    ['in full width, encoded', encodeURIComponent(inFullWidth(FOREIGN_KEY))],
  ])('is masked: %s', (_how, key) => {
    expect(maskKeys(`/v1/${key}/pets`)).toBe('/v1/psk_***/pets');
    expect(looksLikeKey(key)).toBe(true);
  });

  it('is masked in any encoding and any text, even undecodable text', () => {
    fc.assert(
      fc.property(baseContext, encodedKey(FOREIGN_KEY), baseContext, (before, key, after) => {
        const text = `${before}${key}${after}`;
        expect(looksLikeKey(text)).toBe(true);
        const masked = maskKeys(text);
        expect(masked).toContain('psk_***');
        expect(decode(masked)).not.toContain(FOREIGN_KEY.slice(4));
        expect(maskKeys(masked)).toBe(masked);
      }),
      { numRuns: cases(2000) },
    );
  });
});

it('keeps the prefix of a key that is stored, and nothing longer', () => {
  const prefix = FOREIGN_KEY.slice(0, 12);
  expect(maskKeys(`"keyPrefix":"${prefix}"`)).toBe(`"keyPrefix":"${prefix}"`);
  for (const more of [FOREIGN_KEY[12], '%41', '_']) expect(maskKeys(`${prefix}${more}`)).toBe('psk_***');
});

describe('a text without a key', () => {
  it.each(['', '/v1/pets?limit=1', 'psk', 'p%73k', '%', '%%%', '%zz', 'p%sk_', 'Müller', '100 %'])(
    'stays as it is: %j',
    (text) => {
      expect(maskKeys(text)).toBe(text);
      expect(looksLikeKey(text)).toBe(false);
    },
  );

  it('is unchanged, whatever it holds', () => {
    fc.assert(
      fc.property(baseContext, (text) => {
        fc.pre(!decode(text).includes('psk_'));
        expect(maskKeys(text)).toBe(text);
      }),
      { numRuns: cases(2000) },
    );
  });
});
