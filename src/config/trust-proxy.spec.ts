import { describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig } from './config.js';
import type { TrustProxy } from './trust-proxy.js';

const read = (text: string): TrustProxy | undefined => loadConfig({ TRUST_PROXY: text }).trustProxy;

const faultOf = (text: string): string => {
  try {
    return `accepted as ${JSON.stringify(read(text))}`;
  } catch (error) {
    return (error as ConfigError).faults.join('\n');
  }
};

describe('TRUST_PROXY', () => {
  it.each([
    ['1', { hops: 1 }],
    [' 10 ', { hops: 10 }],
    ['10.0.0.1', { networks: ['10.0.0.1/32'] }],
    ['::ffff:10.0.0.1', { networks: ['10.0.0.1/32'] }],
    ['2001:DB8::1', { networks: ['2001:db8::1/128'] }],
    ['10.0.0.0/8, 2001:db8::/32,192.0.2.1', { networks: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.1/32'] }],
    ['::ffff:10.0.0.0/104', { networks: ['10.0.0.0/8'] }],
    ['loopback', { networks: ['127.0.0.0/8', '::1/128'] }],
    ['Loopback,192.0.2.1', { networks: ['127.0.0.0/8', '::1/128', '192.0.2.1/32'] }],
    ['linklocal', { networks: ['169.254.0.0/16', 'fe80::/10'] }],
    ['uniquelocal', { networks: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'] }],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    'true',
    'TRUE',
    '*',
    'all',
    '0.0.0.0/0',
    '10.0.0.0/0',
    '::/0',
    '::ffff:0:0/96',
    '::ffff:0:0/90',
    '10.0.0.1,::/0',
  ])('rejects ranges that trust every address: %s', (text) => {
    expect(faultOf(text)).toMatch(/^TRUST_PROXY: ".*" would let every client claim any address; /u);
  });

  it.each(['0.0.0.0/1', '128.0.0.0/1', '10.0.0.0/7', '2000::/3', '::ffff:0:0/97'])(
    'rejects a range wider than any private network, so that several cannot add up to all addresses: %s',
    (text) => {
      expect(faultOf(text)).toMatch(/^TRUST_PROXY: ".*" would let unknown clients claim any address; /u);
    },
  );

  it('rejects hop counts that trust no proxy, or client-supplied entries', () => {
    expect(faultOf('0')).toBe('TRUST_PROXY: 0 is not a hop count; leave it unset to trust no proxy');
    expect(faultOf('11')).toBe(
      'TRUST_PROXY: the hop count is at most 10; a greater one would trust every client',
    );
    expect(faultOf('9'.repeat(400))).toContain('the hop count is at most 10');
  });

  it.each([
    ['false', '"false"'],
    ['proxy.example.com', '"proxy.example.com"'],
    ['10.0.0.0/33', '"10.0.0.0/33"'],
    ['::1/129', '"::1/129"'],
    ['10.0.0.0/', '"10.0.0.0/"'],
    ['10.0.0.0/255.0.0.0', '"10.0.0.0/255.0.0.0"'],
    ['10.0.0.1:80', '"10.0.0.1:80"'],
    ['10.1', '"10.1"'],
    ['-1', '"-1"'],
    ['1.5', '"1.5"'],
    ['1,10.0.0.1', '"1"'],
    ['10.0.0.1,', '""'],
    ['constructor', '"constructor"'],
    ['__proto__', '"__proto__"'],
  ])('names the entry that it cannot read: %s', (text, entry) => {
    expect(faultOf(text)).toBe(
      `TRUST_PROXY: ${entry} must be an address, a CIDR, one of loopback, linklocal, uniquelocal, or a single hop count`,
    );
  });

  it('reports each error on one line', () => {
    expect(faultOf('10.0.0.1\n10.0.0.2')).not.toContain('\n');
    expect(faultOf('x'.repeat(10_000)).length).toBeLessThan(200);
  });
});
