import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketOf, networkTest, parseIpAddress } from './ip-address.js';

const bucket = (text: string): string | undefined => {
  const address = parseIpAddress(text);
  return address && bucketOf(address);
};

const text = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

const trusted = (networks: readonly string[], text: string): boolean => {
  const address = parseIpAddress(text);
  return address !== undefined && networkTest(networks)(address);
};

describe('an IP address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%br-lan.1', 'fe80:0:0:0::/64'],
  ])('%s is counted as %s', (written, expected) => {
    expect(bucket(written)).toBe(expected);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '1',
    '10.1',
    '0x7f.0.0.1',
    '010.0.0.1',
    '256.1.1.1',
    '10.0.0.1/8',
    '1:2:3',
    ':::',
    '%eth0',
  ])('is not read from %j', (written) => {
    expect(bucket(written)).toBeUndefined();
  });

  it('is counted as it is when it is IPv4, and never as another one', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => {
        expect(bucket(ipv4)).toBe(ipv4);
        expect(bucket(`::ffff:${ipv4}`)).toBe(ipv4);
      }),
    );
  });

  it('is counted by the first 64 bits alone when it is IPv6', () => {
    const group = fc.nat(0xffff);
    const groups = fc.tuple(group, group, group, group);
    // Four zero groups at the front may be an IPv4-mapped address, which is another kind.
    const network = groups.filter((parts) => parts.some((part) => part !== 0));
    fc.assert(
      fc.property(network, network, groups, groups, (one, other, host, otherHost) => {
        const first = bucket(`${text(one)}:${text(host)}`);
        expect(first).toBeDefined();
        expect(bucket(`${text(one)}:${text(otherHost)}`)).toBe(first);
        expect(bucket(`${text(other)}:${text(host)}`) === first).toBe(text(one) === text(other));
      }),
    );
  });

  it('gives any text an answer', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.%/[\]]*$/u)), (anything) => {
        expect(() => bucket(anything)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});

describe('networkTest', () => {
  const networks = ['10.0.0.0/8', '192.0.2.1/32', '2001:db8::/32', '::1/128'];

  it.each(['10.255.0.1', '192.0.2.1', '2001:db8:ffff::1', '::1', '::ffff:10.0.0.1', '2001:db8::1%eth0'])(
    'trusts %s',
    (text) => {
      expect(trusted(networks, text)).toBe(true);
    },
  );

  it.each(['11.0.0.1', '192.0.2.2', '2001:db9::1', '::2', '::ffff:11.0.0.1'])('does not trust %s', (text) => {
    expect(trusted(networks, text)).toBe(false);
  });
});
