import type { FastifyBaseLogger } from 'fastify';
import type { Cors } from '../answer/cors.js';
import type { ClientAddressOf } from '../client-address/client-address.js';
import type { Clock } from '../clock.js';
import type { AdmissionPort } from '../ports/admission-port.js';
import type { HttpObserver } from '../ports/observer.js';

/** What an answer needs that is made where there is only a socket. */
export interface SocketOptions {
  readonly admission: AdmissionPort;
  readonly clientAddressOf: ClientAddressOf;
  /** Limits and removal dates go by it. */
  readonly clock: Clock;
  readonly cors: Cors;
  readonly logger: FastifyBaseLogger;
  readonly observer: HttpObserver;
}
