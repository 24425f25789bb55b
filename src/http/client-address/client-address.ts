import type { IncomingHttpHeaders } from 'node:http';
import type { IpAddress } from './ip-address.js';
import { bucketOf, networkTest, parseIpAddress } from './ip-address.js';
import type { TrustProxy } from '../../config/trust-proxy.js';

/**
 * Tells the client address that a request counts against: an IPv4 address or an IPv6 /64.
 *
 * @param remoteAddress the socket's
 * @param headers `X-Forwarded-For` is looked at when the socket's peer is trusted. Bytes that are no HTTP have none:
 *   what a trusted proxy passes on of them counts against the proxy itself
 */
export type ClientAddressOf = (remoteAddress: string | undefined, headers?: IncomingHttpHeaders) => string;

/** A socket that is closed already has no address any more; those share this bucket. */
const UNKNOWN = 'unknown';

/** Addresses that are remembered, so that few requests parse one; it is forgotten as a whole when it is full. */
const REMEMBERED_MAX = 4096;

/** `[` + an IPv6 address with dotted end (45) + `%` and an interface's name (16) + `]:65535`. */
const ENTRY_LENGTH_MAX = 69;

interface Hop {
  readonly bucket: string;
  readonly inTrustedNetwork: boolean;
}

/**
 * Makes the function for one configuration.
 *
 * The walk is that of Express and of proxy-addr: from the socket's peer through `X-Forwarded-For` from the right, for
 * as long as the hop is trusted. The client is the first one that is not trusted, else the leftmost entry; with
 * `hops: n`, whoever they are, the n-th entry from the right (the leftmost when there are fewer). Where the client's
 * entry is no address (`unknown`), the nearest hop that is one counts instead: with one proxy, the proxy itself.
 */
export function createClientAddressOf(trustProxy: TrustProxy | undefined): ClientAddressOf {
  if (trustProxy === undefined) {
    const hopOf = rememberingHopOf(() => false);
    return (remoteAddress = UNKNOWN) =>
      // IPv4 needs no work: the system writes it in one way.
      remoteAddress.includes(':') ? (hopOf(remoteAddress)?.bucket ?? UNKNOWN) : remoteAddress;
  }

  const hopOf = rememberingHopOf('networks' in trustProxy ? networkTest(trustProxy.networks) : () => false);
  const isTrusted =
    'hops' in trustProxy
      ? (_hop: Hop | undefined, passed: number) => passed < trustProxy.hops
      : (hop: Hop | undefined) => hop?.inTrustedNetwork === true;

  return (remoteAddress = UNKNOWN, headers = {}) => {
    // Node has joined repeated headers with commas; the type allows for a list all the same.
    const entries = String(headers['x-forwarded-for'] ?? '');
    let hop = hopOf(remoteAddress);
    let client = hop?.bucket ?? UNKNOWN;
    let end = entries.length;
    let passed = 0;
    while (end > 0 && isTrusted(hop, passed)) {
      const comma = entries.lastIndexOf(',', end - 1);
      const entry = entries.slice(comma + 1, end).trim();
      end = comma;
      if (entry === '') continue;
      hop = hopOf(entry);
      client = hop?.bucket ?? client;
      passed += 1;
    }
    return client;
  };
}

function rememberingHopOf(isInTrustedNetwork: (address: IpAddress) => boolean) {
  let remembered = new Map<string, Hop>();
  return (text: string): Hop | undefined => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    if (text.length > ENTRY_LENGTH_MAX) return undefined;
    const address = parseIpAddress(withoutPort(text));
    if (address === undefined) return undefined;
    const hop: Hop = { bucket: bucketOf(address), inTrustedNetwork: isInTrustedNetwork(address) };
    if (remembered.size >= REMEMBERED_MAX) remembered = new Map();
    // A copy: a slice of a header would keep the whole header alive, up to 16 KiB for each address.
    remembered.set(Buffer.from(text).toString(), hop);
    return hop;
  };
}

/** Some proxies (Azure's) write the client's port, too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  const { bracketed, plain } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::\d+)?$/u.exec(entry)?.groups ?? {};
  return bracketed ?? plain ?? entry;
}
