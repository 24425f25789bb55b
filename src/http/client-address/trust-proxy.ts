import ipaddr from 'ipaddr.js';
import type { IpAddress } from './ip-address.js';
import { parseIpAddress } from './ip-address.js';

/**
 * Which peers may say in `X-Forwarded-For` for whom they ask: those in `networks` (CIDRs), or the last `hops` of them,
 * whoever they are. A count is safe only where nothing but the proxies can reach the port.
 */
export type TrustProxy = { readonly networks: readonly string[] } | { readonly hops: number };

/** The names that Express and Fastify know, too. */
const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

/** The widest ranges that private networks have (10.0.0.0/8, fc00::/7); what is wider holds strangers. */
const PREFIX_MIN = { ipv4: 8, ipv6: 7 } as const;
const PREFIX_MAX = { ipv4: 32, ipv6: 128 } as const;

/** More proxies in a row than anybody has; a count past their number would trust what the client wrote. */
const HOPS_MAX = 10;

/**
 * Reads `TRUST_PROXY`: a hop count, or addresses, CIDRs and names (`loopback`, `linklocal`, `uniquelocal`) separated by
 * commas.
 *
 * @throws Error whose message is one line for the operator, also for what would trust everybody
 */
export function parseTrustProxy(text: string): TrustProxy {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error('TRUST_PROXY: is empty; leave it unset to trust nobody');
  if (/^\d+$/u.test(trimmed)) return { hops: hopsOf(trimmed) };
  return { networks: trimmed.split(',').flatMap((entry) => networksOf(entry.trim())) };
}

/** A test whether an address is in one of the networks. */
export function networkTest(networks: readonly string[]): (address: IpAddress) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) =>
    ranges.some(([range, prefix]) => range.kind() === address.kind() && address.match(range, prefix));
}

function hopsOf(digits: string): number {
  const hops = Number(digits);
  if (hops >= 1 && hops <= HOPS_MAX) return hops;
  throw new Error(
    hops === 0
      ? 'TRUST_PROXY: 0 is no hop count; leave it unset to trust nobody'
      : `TRUST_PROXY: a hop count is at most ${HOPS_MAX}; a greater one would trust everybody`,
  );
}

function networksOf(entry: string): readonly string[] {
  const named = NAMED_NETWORKS.get(entry.toLowerCase());
  if (named !== undefined) return named;
  if (/^(?:true|yes|on|all|any|\*)$/iu.test(entry)) throw wouldTrust('everybody', entry);

  const slash = entry.indexOf('/');
  const written = slash === -1 ? entry : entry.slice(0, slash);
  const address = parseIpAddress(written);
  if (address === undefined) throw notUnderstood(entry);
  const kind = address.kind();
  const prefixMax = PREFIX_MAX[kind];
  if (slash === -1) return [`${address.toString()}/${prefixMax}`];

  const digits = entry.slice(slash + 1);
  if (!/^\d{1,3}$/u.test(digits)) throw notUnderstood(entry);
  // The prefix of a mapped range, ::ffff:10.0.0.0/104, counts the 96 bits before the IPv4 address.
  const prefix = Number(digits) - (kind === 'ipv4' && written.includes(':') ? 96 : 0);
  if (prefix > prefixMax) throw notUnderstood(entry);
  if (prefix < PREFIX_MIN[kind]) throw wouldTrust(prefix <= 0 ? 'everybody' : 'strangers', entry);
  return [`${address.toString()}/${prefix}`];
}

const wouldTrust = (whom: string, entry: string): Error =>
  new Error(`TRUST_PROXY: ${quoted(entry)} would trust ${whom} to write any address; name the proxies`);

const notUnderstood = (entry: string): Error => {
  const names = [...NAMED_NETWORKS.keys()].join(', ');
  return new Error(
    `TRUST_PROXY: ${quoted(entry)} is no address, no CIDR and none of ${names} (a hop count stands alone)`,
  );
};

/** On one line whatever it holds, and never a screenful. */
const quoted = (entry: string): string =>
  JSON.stringify(entry.length > 60 ? `${entry.slice(0, 60)}…` : entry);
