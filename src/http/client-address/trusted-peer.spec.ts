import { describe, expect, it } from '@jest/globals';
import { parseTrustProxy } from '../../config/trust-proxy.js';
import { createIsTrustedPeer } from './trusted-peer.js';

describe('createIsTrustedPeer', () => {
  it.each<[string, string | undefined, boolean]>([
    ['loopback', '127.0.0.1', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '192.0.2.1', false],
    ['10.0.0.0/8,2001:db8::/32', '2001:db8::1', true],
    ['10.0.0.0/8,2001:db8::/32', '::1', false],
    ['10.0.0.0/8', undefined, false],
    ['1', '192.0.2.1', true],
  ])('TRUST_PROXY=%s: %s is a proxy: %s', (trust, address, expected) => {
    expect(createIsTrustedPeer(parseTrustProxy(trust))(address)).toBe(expected);
  });

  it('takes nobody for a proxy when none is configured', () => {
    expect(createIsTrustedPeer(undefined)('127.0.0.1')).toBe(false);
  });
});
