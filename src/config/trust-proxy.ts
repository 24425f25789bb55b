import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The peers whose `X-Forwarded-For` is trusted: those in `networks` (CIDRs), or the last `hops` of them. A number of hops is safe
 * only where no other client than the proxies can reach the port.
 */
export type TrustProxy = { readonly networks: readonly string[] } | { readonly hops: number };

/** The names that Express and Fastify also use. */
const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

/** The widest private ranges (10.0.0.0/8, fc00::/7); a wider range includes public addresses. */
const PREFIX_MIN = { ipv4: 8, ipv6: 7 } as const;
const PREFIX_MAX = { ipv4: 32, ipv6: 128 } as const;

/** More proxies in a row than any deployment has; a larger count would trust entries that the client wrote. */
const HOPS_MAX = 10;

/**
 * Reads `TRUST_PROXY`: a hop count, or addresses, CIDRs and names (`loopback`, `linklocal`, `uniquelocal`) separated by
 * commas.
 *
 * @throws Error whose message is one line for the operator, also for a value that would trust every address
 */
export function parseTrustProxy(text: string): TrustProxy {
  if (/^\d+$/u.test(text)) return { hops: hopsOf(text) };
  return { networks: text.split(',').flatMap((entry) => networksOf(entry.trim())) };
}

function hopsOf(digits: string): number {
  const hops = Number(digits);
  if (hops >= 1 && hops <= HOPS_MAX) return hops;
  throw new Error(
    hops === 0
      ? '0 is not a hop count; leave it unset to trust no proxy'
      : `the hop count is at most ${HOPS_MAX}; a greater one would trust every client`,
  );
}

function networksOf(entry: string): readonly string[] {
  const named = NAMED_NETWORKS.get(entry.toLowerCase());
  if (named !== undefined) return named;
  if (/^(?:true|yes|on|all|any|\*)$/iu.test(entry)) throw wouldTrust('every client', entry);

  const slash = entry.indexOf('/');
  const written = slash === -1 ? entry : entry.slice(0, slash);
  // Checked by Node first: ipaddr.js also reads `1`, `0x7f.1` and `010.0.0.1` (as octal).
  if (isIP(written) === 0) throw notUnderstood(entry);
  // An IPv4-mapped IPv6 address is the IPv4 address; a zone names an interface of the host that wrote it.
  const address = ipaddr.process(written.replace(/%.*$/u, ''));
  const kind = address.kind();
  const prefixMax = PREFIX_MAX[kind];
  if (slash === -1) return [`${address.toString()}/${prefixMax}`];

  const digits = entry.slice(slash + 1);
  if (!/^\d{1,3}$/u.test(digits)) throw notUnderstood(entry);
  // The prefix of a mapped range, ::ffff:10.0.0.0/104, counts the 96 bits before the IPv4 address.
  const prefix = Number(digits) - (kind === 'ipv4' && written.includes(':') ? 96 : 0);
  if (prefix > prefixMax) throw notUnderstood(entry);
  if (prefix < PREFIX_MIN[kind]) throw wouldTrust(prefix <= 0 ? 'every client' : 'unknown clients', entry);
  return [`${address.toString()}/${prefix}`];
}

const wouldTrust = (whom: string, entry: string): Error =>
  new Error(`${quoted(entry)} would let ${whom} claim any address; list the proxies`);

const notUnderstood = (entry: string): Error => {
  const names = [...NAMED_NETWORKS.keys()].join(', ');
  return new Error(`${quoted(entry)} must be an address, a CIDR, one of ${names}, or a single hop count`);
};

/** Always on one line, and truncated. */
const quoted = (entry: string): string =>
  JSON.stringify(entry.length > 60 ? `${entry.slice(0, 60)}…` : entry);
