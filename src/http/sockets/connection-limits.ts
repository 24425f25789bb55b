import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressTurns } from './address-turns.js';
import { ApiError } from '../../common/errors/api-error.js';
import { IN_FLIGHT_MAX } from './connection-requests.js';
import {
  ConnectionGate,
  type ConnectionMaxima,
  type ConnectionRefusal,
  UnaskedConnections,
} from './connection-gate.js';
import { newRequestId } from '../../common/request.js';
import { endWithError, type SocketOptions } from './socket-errors.js';
import type { IsTrustedPeer } from '../client-address.js';

export interface ConnectionLimitOptions extends ConnectionMaxima {
  readonly isTrustedPeer: IsTrustedPeer;
}

/** Refused connections that wait for their answer. Past them nobody is told: a flood must not cost what it is refused. */
const REFUSED_OPEN_MAX = 100;

/** A refused client sends its request at once or not at all. */
const REFUSED_WAIT_MS = 1000;

/** One line a minute tells as much as a thousand, and a flood must not fill the disk. */
const WARNING_INTERVAL_MS = 60_000;

/**
 * Keeps the open connections within their limits. One too many is answered 503, as soon as it asks for something, and closed:
 * a balancer then tries another replica, and a program of ours knows when to come back, where a closed connection would say
 * neither. Nothing is decided or counted for it, and no parser reads it. When all places are taken, a connection on which nothing was asked gives way
 * first: so a flood of idle ones keeps nobody out.
 */
export class ConnectionLimits {
  readonly #limits: ConnectionLimitOptions;
  readonly #turns: AddressTurns;
  readonly #options: SocketOptions;
  readonly #gate: ConnectionGate;
  readonly #unasked = new UnaskedConnections();
  #refusedOpen = 0;

  constructor(limits: ConnectionLimitOptions, turns: AddressTurns, options: SocketOptions) {
    this.#limits = limits;
    this.#turns = turns;
    this.#options = options;
    this.#gate = new ConnectionGate(limits);
  }

  /** Counts the server's connections from now on. */
  watch(server: Server): void {
    server.on('connection', (socket) => this.#open(socket));
    server.on('request', ({ socket }: IncomingMessage) => this.#unasked.delete(socket));
  }

  #open(socket: Socket): void {
    const { remoteAddress } = socket;
    const address = this.#limits.isTrustedPeer(remoteAddress)
      ? undefined
      : this.#options.clientAddressOf(remoteAddress);
    const refusal = this.#enter(address);
    if (refusal !== undefined) {
      this.#refuse(socket, refusal);
      return;
    }
    let isIn = true;
    const leave = (): void => {
      if (isIn) this.#gate.leave(address);
      isIn = false;
    };
    this.#unasked.add(socket, performance.now(), leave);
    socket.once('close', () => {
      this.#unasked.delete(socket);
      leave();
    });
    if (address !== undefined) this.#turns.add(address, socket);
  }

  #enter(address: string | undefined): Refusal | undefined {
    if (address !== undefined && this.#turns.isPenalized(address, performance.now())) return 'pipelining';
    const refusal = this.#gate.enter(address);
    if (refusal !== 'in-all' || !this.#unasked.makeRoom(performance.now())) return refusal;
    this.#warnOfSilent();
    return this.#gate.enter(address);
  }

  /** A response that comes before its request would be taken for a broken connection: so it waits for the first bytes. */
  #refuse(socket: Socket, refusal: Refusal): void {
    this.#warnOfRefused();
    if (this.#refusedOpen >= REFUSED_OPEN_MAX) {
      socket.destroy();
      return;
    }
    this.#refusedOpen += 1;
    // Node.js has given the connection to its parser, which would dispatch 1,700 requests of one read.
    socket.removeAllListeners('data');
    const timer = setTimeout(() => socket.destroy(), REFUSED_WAIT_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
      this.#refusedOpen -= 1;
    });
    socket.once('data', () => {
      clearTimeout(timer);
      this.#answer(socket, refusal);
      // Unread bytes would reset the connection, and take the response away.
      socket.resume();
    });
  }

  #answer(socket: Socket, refusal: Refusal): void {
    const { clientAddressOf, admission, observer } = this.#options;
    const decision = admission.describeAddress(clientAddressOf(socket.remoteAddress));
    const error = new ApiError('service_unavailable', MESSAGES[refusal], AT_ONCE);
    observer.refusedConnection(error.status);
    endWithError(socket, error, { id: newRequestId(), decision }, this.#options);
  }

  readonly #warnOfRefused = occasionally((count) =>
    this.#options.logger.warn(
      `connections rejected: ${count} (CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX or too many pipelined requests)`,
    ),
  );

  readonly #warnOfSilent = occasionally((count) =>
    this.#options.logger.warn(`idle connections closed to make room: ${count} (CONNECTIONS_MAX)`),
  );
}

/** Why a connection is not taken. */
type Refusal = ConnectionRefusal | 'pipelining';

const MESSAGES: Readonly<Record<Refusal, string>> = {
  pipelining: `Too many pipelined requests (more than ${IN_FLIGHT_MAX}) came from this address. Retry-After gives the seconds to wait.`,
  'in-all': 'Too many connections are open. Retry-After gives the seconds to wait.',
  'of-address':
    'Too many connections are open from this address. Reuse connections, and wait for Retry-After.',
};

const AT_ONCE = { headers: { 'retry-after': '1' } };

/** Tells how often it was called, at most once an interval: the first time at once. */
function occasionally(tell: (count: number) => void): () => void {
  let count = 0;
  let toldAtMs = -Infinity;
  return () => {
    count += 1;
    if (performance.now() - toldAtMs < WARNING_INTERVAL_MS) return;
    toldAtMs = performance.now();
    tell(count);
    count = 0;
  };
}
