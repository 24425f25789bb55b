import type { TrustProxy } from '../../config/trust-proxy.js';
import { networkTest, parseIpAddress } from './ip-address.js';

/** Tells of a socket's address whether a trusted proxy is there: behind it are many clients. */
export type IsTrustedPeer = (remoteAddress: string | undefined) => boolean;

/** With a hop count every peer is a proxy: nothing but proxies can reach the port then. */
export function createIsTrustedPeer(trustProxy: TrustProxy | undefined): IsTrustedPeer {
  if (trustProxy === undefined) return () => false;
  if ('hops' in trustProxy) return () => true;
  const isInNetworks = networkTest(trustProxy.networks);
  return (remoteAddress = '') => {
    const address = parseIpAddress(remoteAddress);
    return address !== undefined && isInNetworks(address);
  };
}
