import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Reads an address in its standard text. A zone id is dropped, for it names an interface of the host that wrote it; an
 * IPv4-mapped IPv6 address is the IPv4 address, so that it is the same client on a dual-stack socket.
 *
 * @returns undefined when the text is no address
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const zone = text.indexOf('%');
  const bare = zone === -1 ? text : text.slice(0, zone);
  // Checked by Node first: ipaddr.js also reads `1`, `0x7f.1` and `010.0.0.1` (as octal).
  const version = isIP(bare);
  if (version === 0) return undefined;
  if (version === 4) return ipaddr.IPv4.parse(bare);
  const address = ipaddr.IPv6.parse(bare);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * The name under which an address is counted: IPv4 as it is, IPv6 by its /64, since a host has all of that to itself.
 * It is a new string that keeps no part of a header alive.
 */
export function bucketOf(address: IpAddress): string {
  if (address instanceof ipaddr.IPv4) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** A test whether an address is in one of the networks. */
export function networkTest(networks: readonly string[]): (address: IpAddress) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) =>
    ranges.some(([range, prefix]) => range.kind() === address.kind() && address.match(range, prefix));
}
