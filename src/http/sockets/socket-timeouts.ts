import type { ServerOptions } from 'node:http';

export interface SocketTimeoutOptions {
  /** The longest that a request may take to arrive whole. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveTimeoutMs: number;
}

/** How long a connection may take for a request, and be open without one. A request that is too slow is answered 408. */
export const socketTimeouts = ({
  requestTimeoutMs,
  keepAliveTimeoutMs,
}: SocketTimeoutOptions): ServerOptions => ({
  // Node takes the shorter of these two for the headers and the longer one, its own 60 s, for the whole request.
  headersTimeout: requestTimeoutMs,
  requestTimeout: requestTimeoutMs,
  // How soon an expired request is noticed; Node's 30 s would double the time-out.
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: keepAliveTimeoutMs,
});
