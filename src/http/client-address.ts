import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { all, compile } from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';
import type { TrustProxy } from '../config/trust-proxy.js';

/**
 * Finds the client address that a request counts against: an IPv4 address or an IPv6 /64.
 *
 * @param remoteAddress the socket's
 * @param headers `X-Forwarded-For` is looked at when the socket's peer is trusted. Bytes that are no HTTP have none:
 *   what a trusted proxy passes on of them counts against the proxy itself
 */
export type ClientAddressOf = (remoteAddress: string | undefined, headers?: IncomingHttpHeaders) => string;

/** Injects the `ClientAddressOf` of the configuration. */
export const CLIENT_ADDRESS_OF = Symbol('CLIENT_ADDRESS_OF');

/** A socket that is closed already has no address any more; those share this bucket. */
const UNKNOWN = 'unknown';

/**
 * Makes the function for one configuration. From the socket's peer it goes through `X-Forwarded-For` from the right, for as long as
 * the hop is trusted: the client is the first one that is not, else the leftmost entry. Where that is no address (`unknown`), the
 * nearest hop that is one counts instead: with one proxy, the proxy itself.
 */
export function createClientAddressOf(trustProxy: TrustProxy | undefined): ClientAddressOf {
  if (trustProxy === undefined) {
    return (remoteAddress = UNKNOWN) =>
      // IPv4 needs no work: the system writes it in one way.
      remoteAddress.includes(':') ? (bucketOf(remoteAddress) ?? UNKNOWN) : remoteAddress;
  }
  const isInNetworks = 'networks' in trustProxy ? networkTest(trustProxy.networks) : undefined;
  const isTrusted = (address: string, passed: number): boolean =>
    isInNetworks === undefined ? 'hops' in trustProxy && passed < trustProxy.hops : isInNetworks(address);

  return (remoteAddress = UNKNOWN, headers = {}) => {
    // Node has joined repeated headers with commas; the type allows for a list all the same.
    const forwarded = { 'x-forwarded-for': String(headers['x-forwarded-for'] ?? '') };
    const passed = all(
      { socket: { remoteAddress }, headers: forwarded } as unknown as IncomingMessage,
      isTrusted,
    );
    for (const hop of passed.toReversed()) {
      const bucket = bucketOf(hop);
      if (bucket !== undefined) return bucket;
    }
    return UNKNOWN;
  };
}

/** A test whether an address is in one of the networks. */
function networkTest(networks: readonly string[]): (address: string) => boolean {
  const isTrusted = compile([...networks]);
  return (text) => {
    const address = addressIn(text);
    return address !== undefined && isTrusted(address, 0);
  };
}

/**
 * The name under which an address is counted: IPv4 as it is, IPv6 by its /64, since a host has all of that to itself. An
 * IPv4-mapped IPv6 address is the IPv4 address, so that it is the same client on a dual-stack socket.
 *
 * @returns a new string, which keeps no part of a header alive; undefined when the text is no address
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

/**
 * The function for a configuration. Without `TRUST_PROXY` it warns once when a request was forwarded (`X-Forwarded-For`, or `Forwarded` of
 * RFC 7239): all clients of a proxy would share one limit. Once only, because clients can write these headers as well.
 */
export function clientAddressOf(
  trustProxy: TrustProxy | undefined,
  warn: (message: string) => void,
): ClientAddressOf {
  const addressOf = createClientAddressOf(trustProxy);
  if (trustProxy !== undefined) return addressOf;
  let isWarned = false;
  return (remoteAddress, headers = {}) => {
    if (!isWarned && (headers['x-forwarded-for'] ?? headers.forwarded) !== undefined) {
      isWarned = true;
      warn(
        'A request has X-Forwarded-For or Forwarded, but TRUST_PROXY is not set. Behind a proxy, all clients ' +
          'without a valid key then share one limit. If there is a proxy, set TRUST_PROXY to its address.',
      );
    }
    return addressOf(remoteAddress, headers);
  };
}
