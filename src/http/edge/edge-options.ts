import type { FastifyBaseLogger } from 'fastify';
import type { AdmissionPort } from './admission-port.js';
import type { ClientAddressOf } from '../client-address/client-address.js';
import type { Clock } from '../clock.js';
import type { ConnectionLimitOptions } from '../sockets/connection-limits.js';
import type { CorsOrigins } from './cors.js';
import type { HttpObserver } from './observer.js';
import type { PublicUrl } from '../public-url.js';

export interface EdgeOptions {
  readonly admission: AdmissionPort;
  readonly clientAddressOf: ClientAddressOf;
  /** Limits and removal dates go by it. */
  readonly clock: Clock;
  readonly corsOrigins: CorsOrigins;
  readonly publicUrl: PublicUrl;
  readonly bodyBytesMax: number;
  /** The longest that a request may take to arrive whole. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveTimeoutMs: number;
  readonly connections: ConnectionLimitOptions;
  readonly logger: FastifyBaseLogger;
  readonly observer: HttpObserver;
}
