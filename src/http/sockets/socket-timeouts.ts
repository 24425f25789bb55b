import type { FastifyServerOptions } from 'fastify';

export interface SocketTimeoutOptions {
  /** The longest that a request may take to arrive whole. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveTimeoutMs: number;
}

type Timeouts = Pick<FastifyServerOptions, 'keepAliveTimeout' | 'connectionTimeout' | 'maxRequestsPerSocket'>;

/** How long a connection may be open without use. (What is too slow in asking is answered 408, by `requestTimeout`.) */
export const socketTimeouts = ({ requestTimeoutMs, keepAliveTimeoutMs }: SocketTimeoutOptions): Timeouts => ({
  keepAliveTimeout: keepAliveTimeoutMs,
  // For who does not take the answers: no byte went either way for so long. Twice, so that 408 always comes first.
  connectionTimeout: requestTimeoutMs * 2,
  // No limit: the requests are limited by key, and a new connection costs both sides more than an old one.
  maxRequestsPerSocket: 0,
});
