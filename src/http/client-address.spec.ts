import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fastify } from 'fastify';
import { bucketOf, clientAddressOf, peerAddressOf, trustedHops } from './client-address.js';
import { parseTrustProxy } from '../config/trust-proxy.js';
import { cases } from '../../test/support/cases.js';

/** The client address behind `TRUST_PROXY`, for a socket's peer and an `X-Forwarded-For`. */
async function behind(
  trust: string | undefined,
  remoteAddress: string,
  forwardedFor?: string | string[],
): Promise<string> {
  const trustProxy = trust === undefined ? undefined : parseTrustProxy(trust);
  const addressOf = clientAddressOf(trustProxy, () => undefined);
  const app = fastify({ trustProxy: trustedHops(trustProxy) });
  app.get('/', (request, reply) => reply.send(addressOf(request)));
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor as string };
  return (await app.inject({ url: '/', remoteAddress, headers })).body;
}

/** The bytes that stay allocated by `work` while its result lives. */
const grownBytes = (work: () => unknown): number => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const result = work();
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  expect(result).toBeDefined();
  return grown;
};

describe('the client address without TRUST_PROXY', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['not:an:address', 'unknown'],
    [undefined, 'unknown'],
  ])('of the peer %s is %s', (remoteAddress, expected) => {
    expect(peerAddressOf(remoteAddress)).toBe(expected);
  });

  it('is the peer, whatever headers say', async () => {
    expect(await behind(undefined, '203.0.113.7', '198.51.100.1')).toBe('203.0.113.7');
  });
});

describe('the client address behind trusted networks', () => {
  const TRUSTED = '10.0.0.0/8, 2001:db8:ffff::/48';

  it.each([
    ['the peer when it is not trusted', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['the peer when it passed nothing on', '10.0.0.1', undefined, '10.0.0.1'],
    ['the peer when the header is empty', '10.0.0.1', ' , ,', '10.0.0.1'],
    ['the entry of the one proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    [
      'the last entry, not what the client wrote before it',
      '10.0.0.1',
      '192.0.2.9, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'the first that is not trusted from the right',
      '10.0.0.1',
      '192.0.2.9,198.51.100.1,10.0.0.3,10.0.0.2',
      '198.51.100.1',
    ],
    ['the leftmost when all are trusted', '10.0.0.1', '10.0.0.4, 10.0.0.3', '10.0.0.4'],
    [
      'found past empty entries and white space',
      '10.0.0.1',
      '192.0.2.9,\t198.51.100.1 ,, 10.0.0.2,',
      '198.51.100.1',
    ],
    ['found through an IPv4-mapped peer', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a /64 for an IPv6 client', '2001:db8:ffff::1', '2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['without the port that a proxy writes', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['without the port of an IPv6 client', '10.0.0.1', '[2001:db8:1:2::4]:4711', '2001:db8:1:2::/64'],
    ['without the zone', '10.0.0.1', 'fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['the proxy when it hides the client', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['the proxy when it writes nonsense', '10.0.0.1', '[2001:db8::11', '10.0.0.1'],
    [
      'the nearest readable hop, not what stands left of nonsense',
      '10.0.0.1',
      '192.0.2.9, unknown, 10.0.0.2',
      '10.0.0.2',
    ],
  ])('is %s', async (_case, remoteAddress, forwardedFor, expected) => {
    expect(await behind(TRUSTED, remoteAddress, forwardedFor)).toBe(expected);
  });

  it('reads repeated headers as one', async () => {
    const repeated = ['192.0.2.9, 198.51.100.1', '10.0.0.2'];
    expect(await behind(TRUSTED, '10.0.0.1', repeated)).toBe('198.51.100.1');
  });

  it('cannot be chosen by a client: what a trusted proxy appends decides', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.ipV4().filter((ip) => !ip.startsWith('10.')),
        async (written, client) => {
          expect(await behind(TRUSTED, '10.0.0.1', `${written},${client}`)).toBe(client);
          expect(await behind(TRUSTED, '10.0.0.1', `${written}, ${client}, 10.0.0.2`)).toBe(client);
        },
      ),
    );
  });
});

describe('the client address behind a hop count', () => {
  it.each([
    ['1', '192.0.2.1, 192.0.2.2, 192.0.2.3', '192.0.2.3'],
    ['2', '192.0.2.1, 192.0.2.2, 192.0.2.3', '192.0.2.2'],
    ['3', '192.0.2.1, 192.0.2.2, 192.0.2.3', '192.0.2.1'],
    ['4', '192.0.2.1, 192.0.2.2, 192.0.2.3', '192.0.2.1'],
    ['2', '192.0.2.1, , 192.0.2.3,', '192.0.2.1'],
    ['2', '192.0.2.1, unknown', '192.0.2.1'],
    ['2', 'unknown, 192.0.2.2', '192.0.2.2'],
    ['1', 'unknown', '203.0.113.7'],
    ['1', undefined, '203.0.113.7'],
  ])('of %s is counted from the right, as Express does: %s', async (hops, forwardedFor, expected) => {
    expect(await behind(hops, '203.0.113.7', forwardedFor)).toBe(expected);
  });
});

it('retains only the address, not the 16 KiB header it came from', () => {
  const addressOf = clientAddressOf(parseTrustProxy('10.0.0.1'), () => undefined);
  const grown = grownBytes(() =>
    Array.from({ length: 2000 }, (_, i) => {
      const client = `203.100.${100 + (i >> 7)}.${100 + (i & 127)}`;
      const header = Buffer.from(`${'x'.repeat(16_000)}, ${client}:4711`).toString();
      const [, last = ''] = header.split(', ');
      return addressOf({ headers: {}, ip: '10.0.0.1', ips: ['10.0.0.1', last] });
    }),
  );
  // Were the headers kept alive, it would be 32 MB.
  expect(grown).toBeLessThan(8_000_000);
});

const groupsText = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

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
    expect(bucketOf(written)).toBe(expected);
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
    expect(bucketOf(written)).toBeUndefined();
  });

  it('is counted in full if IPv4, never as another one', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => {
        expect(bucketOf(ipv4)).toBe(ipv4);
        expect(bucketOf(`::ffff:${ipv4}`)).toBe(ipv4);
      }),
    );
  });

  it('is counted by its first 64 bits if IPv6', () => {
    const group = fc.nat(0xffff);
    const groups = fc.tuple(group, group, group, group);
    // Four zero groups at the front may be an IPv4-mapped address, which is another kind.
    const network = groups.filter((parts) => parts.some((part) => part !== 0));
    fc.assert(
      fc.property(network, network, groups, groups, (one, other, host, otherHost) => {
        const first = bucketOf(`${groupsText(one)}:${groupsText(host)}`);
        expect(first).toBeDefined();
        expect(bucketOf(`${groupsText(one)}:${groupsText(otherHost)}`)).toBe(first);
        expect(bucketOf(`${groupsText(other)}:${groupsText(host)}`) === first).toBe(
          groupsText(one) === groupsText(other),
        );
      }),
    );
  });

  it('accepts any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.%/[\]]*$/u)), (anything) => {
        expect(() => bucketOf(anything)).not.toThrow();
      }),
      { numRuns: cases(1000) },
    );
  });
});

describe('a trusted network', () => {
  const CLIENT = '203.0.113.9';
  const clientBehind = (peer: string): Promise<string> =>
    behind('10.0.0.0/8, 192.0.2.1/32, 2001:db8::/32, ::1/128', peer, CLIENT);

  it.each(['10.255.0.1', '192.0.2.1', '2001:db8:ffff::1', '::1', '::ffff:10.0.0.1', '2001:db8::1%eth0'])(
    'holds %s',
    async (text) => {
      expect(await clientBehind(text)).toBe(CLIENT);
    },
  );

  it.each(['11.0.0.1', '192.0.2.2', '2001:db9::1', '::2', '::ffff:11.0.0.1'])(
    'does not hold %s',
    async (text) => {
      expect(await clientBehind(text)).toBe(bucketOf(text));
    },
  );
});

const warningsAfter = (...requests: readonly Record<string, string>[]): string[] => {
  const messages: string[] = [];
  const addressOf = clientAddressOf(undefined, (message) => messages.push(message));
  for (const headers of requests) addressOf({ headers, ip: '203.0.113.7' });
  return messages;
};

describe('the warning of an untrusted proxy', () => {
  it('says nothing while no request was forwarded', () => {
    expect(warningsAfter({}, { host: 'example.com', via: '1.1 cache' })).toEqual([]);
  });

  it.each([
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': '' },
    { forwarded: 'for=203.0.113.7' },
  ])('names TRUST_PROXY when a request carries %j', (headers) => {
    expect(warningsAfter(headers)).toEqual([expect.stringContaining('TRUST_PROXY')]);
  });

  it('warns once, however many requests follow, without client input', () => {
    const forwarded = { 'x-forwarded-for': 'written by a client' };
    const messages = warningsAfter({}, forwarded, forwarded, { forwarded: 'for=_x' });
    expect(messages).toHaveLength(1);
    expect(messages[0]).not.toContain('written by a client');
  });

  it('names the sender missing from TRUST_PROXY, once', async () => {
    const said: string[] = [];
    const trustProxy = parseTrustProxy('loopback');
    const addressOf = clientAddressOf(trustProxy, (message) => said.push(message));
    const app = fastify({ trustProxy: trustedHops(trustProxy) });
    app.get('/', (request, reply) => reply.send(addressOf(request)));
    const forwarded = { 'x-forwarded-for': '198.51.100.1' };
    const from = (remoteAddress: string, headers = {}) => app.inject({ url: '/', remoteAddress, headers });
    await from('127.0.0.1', forwarded);
    await from('172.28.0.1');
    await from('127.0.0.1', { 'x-forwarded-for': ' , ,' });
    expect(said).toEqual([]);
    // The address of Docker's bridge, for a proxy on the host.
    expect((await from('172.28.0.1', forwarded)).body).toBe('172.28.0.1');
    await from('172.28.0.2', forwarded);
    expect(said).toEqual([
      expect.stringMatching(
        /^A request from 172\.28\.0\.1 has X-Forwarded-For .* TRUST_PROXY does not name that address\./,
      ),
    ]);
  });
});
