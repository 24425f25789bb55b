import type { FastifyBaseLogger } from 'fastify';
import type { CommonHeadersOptions } from '../common-headers.js';
import type { ClientAddressOf } from '../client-address.js';
import type { AdmissionPort } from '../decision.js';
import type { HttpObserver } from '../observer.js';

/** What an answer needs that is made where there is only a socket. */
export interface SocketOptions extends CommonHeadersOptions {
  readonly admission: AdmissionPort;
  readonly clientAddressOf: ClientAddressOf;
  readonly logger: FastifyBaseLogger;
  readonly observer: HttpObserver;
}
