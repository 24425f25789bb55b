import { isIP } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { TrustProxy } from '../config/trust-proxy.js';

/** Fastify's `trustProxy` for `TRUST_PROXY`. A function, because Fastify does not trust a number of hops. */
export function trustedHops(
  trustProxy: TrustProxy | undefined,
): false | ((address: string, hop: number) => boolean) {
  if (trustProxy === undefined) return false;
  if ('hops' in trustProxy) return (_address, hop) => hop < trustProxy.hops;
  const isInNetworks = compile([...trustProxy.networks]);
  return (entry, hop) => {
    const address = addressIn(entry);
    return address !== undefined && isInNetworks(address, hop);
  };
}

/** Finds the client address that a request counts against: an IPv4 address or an IPv6 /64. */
export type ClientAddressOf = (request: Pick<FastifyRequest, 'headers' | 'ip' | 'ips'>) => string;

/**
 * Without `TRUST_PROXY` the address is the peer's. A request with `X-Forwarded-For` or `Forwarded` (RFC 7239) from an address
 * that it does not list logs a warning, because all clients of a proxy would share one limit. Only once: clients can send these headers
 * as well.
 */
export function clientAddressOf(
  trustProxy: TrustProxy | undefined,
  warn: (message: string) => void,
): ClientAddressOf {
  let isWarned = false;
  const warnOf = (state: string, sender = UNKNOWN): void => {
    isWarned = true;
    warn(
      `A request from ${sender} has X-Forwarded-For or Forwarded, but TRUST_PROXY ${state}. Behind a proxy, all clients ` +
        'without a valid key then share one limit. If that is your proxy, set TRUST_PROXY to its address.',
    );
  };
  if (trustProxy !== undefined) {
    return ({ headers, ip, ips = [] }) => {
      // An entry of a trusted sender would be a second hop.
      if (!isWarned && ips.length === 1 && /[^\s,]/.test(String(headers['x-forwarded-for'] ?? '')))
        warnOf('does not name that address', ip);
      return nearestAddressIn(ips);
    };
  }
  return ({ headers, ip }) => {
    if (!isWarned && (headers['x-forwarded-for'] ?? headers.forwarded) !== undefined)
      warnOf('is not set', ip);
    return peerAddressOf(ip);
  };
}

/** A closed socket has no address. All of them share this bucket. */
const UNKNOWN = 'unknown';

/** The address of a socket's peer, charged for bytes that never became a request. */
export const peerAddressOf = (remoteAddress = UNKNOWN): string =>
  // IPv4 addresses are already normalized by the OS.
  remoteAddress.includes(':') ? (bucketOf(remoteAddress) ?? UNKNOWN) : remoteAddress;

/**
 * The client is the entry of the last trusted hop. If that is not an address (`unknown`), the nearest hop that is one is used: with
 * one proxy, the proxy itself.
 *
 * @param hops the socket's peer first
 */
function nearestAddressIn(hops: readonly string[]): string {
  for (const hop of hops.toReversed()) {
    const bucket = bucketOf(hop);
    if (bucket !== undefined) return bucket;
  }
  return UNKNOWN;
}

/**
 * The key under which an address is counted: IPv4 as is, IPv6 by its /64, since one host owns all of it. An
 * IPv4-mapped IPv6 address is the IPv4 address, so that it is the same client on a dual-stack socket.
 *
 * @returns a new string, which retains no header in memory; undefined if the text is not an address
 */
export function bucketOf(text: string): string | undefined {
  const written = addressIn(text);
  if (written === undefined) return undefined;
  const address = ipaddr.process(written);
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * The address in an entry, without the port that some proxies write (`192.0.2.1:4711`, `[2001:db8::1]:4711`) and without a zone,
 * which names an interface of the host that wrote it.
 */
function addressIn(entry: string): string | undefined {
  const { bracketed, plain } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+))(?::\d+)?$/u.exec(entry)?.groups ?? {};
  const [address = ''] = (bracketed ?? plain ?? entry).split('%', 1);
  // Checked by Node: ipaddr.js also reads `1`, `0x7f.1` and `010.0.0.1` (as octal).
  return isIP(address) === 0 ? undefined : address;
}
