import { describe, expect, it } from '@jest/globals';
import { newRequestId, requestIdOf } from './request.js';

const idOf = (own: string | undefined): string =>
  requestIdOf({ headers: own === undefined ? {} : { 'x-request-id': own } });

const MADE_UP = /^[\da-f]{12}-[\da-z]+$/;

describe('the identifier of a request', () => {
  it.each([
    'a',
    '0af7651916cd43dd8448eb211c80319c',
    'web/42:checkout=1',
    'order%2042',
    'q+/=~@',
    'x'.repeat(128),
  ])('is the one that the caller gave: %s', (own) => expect(idOf(own)).toBe(own));

  it.each([
    ['none is given', undefined],
    ['it is empty', ''],
    ['it is longer than 128 characters', 'x'.repeat(129)],
    ['it came twice, so that Node joined it', 'one, two'],
    ['it has a space', 'one two'],
    ['it has a quote', 'one"two'],
    ...Array.from("$`&;|'(){}[]<>!#*?^", (one) => [`it has ${one}`, `a${one}b`] as const),
    ['it has a backslash', 'one\\two'],
    ['it has an angle bracket', '<script>'],
    ['it is not ASCII', 'één'],
    ['it has a control character', 'one\u0007'],
    ['it is an API key', 'psk_0123456789abcdefghijklmnopqrstuvwxyzAB'],
    ['it is an API key in upper case', 'PSK_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZAB'],
    ['it is a percent-encoded API key', 'p%73k%5F0123456789abcdefghijklmnopqrstuvwxyzAB'],
  ])('is made up when %s', (_why, own) => expect(idOf(own)).toMatch(MADE_UP));

  it('is always unique', () => {
    const ids = Array.from({ length: 1000 }, newRequestId);
    expect(new Set(ids).size).toBe(1000);
  });
});
