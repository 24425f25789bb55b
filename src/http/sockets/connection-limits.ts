import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { AddressTurns } from './address-turns.js';
import { ApiError } from '../errors/api-error.js';
import { IN_FLIGHT_MAX } from './connection-requests.js';
import { ConnectionGate, type ConnectionMaxima, type ConnectionRefusal } from './connection-gate.js';
import { newRequestId } from '../answer/request-id.js';
import { endWithError } from './socket-errors.js';
import type { SocketOptions } from './socket-options.js';
import { UnaskedConnections } from './unasked-connections.js';
import type { IsTrustedPeer } from '../client-address/trusted-peer.js';

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
 * neither. Nothing is decided or counted for it, and no parser ever reads it. When all places are taken, a connection on which
 * nothing was asked gives way first: so a flood of idle ones keeps nobody out.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimitOptions,
  turns: AddressTurns,
  options: SocketOptions,
): void {
  const gate = new ConnectionGate(limits);
  const unasked = new UnaskedConnections();
  const warnOfRefused = occasionally((count) =>
    options.logger.warn(
      `${count} connections were rejected: see CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_MAX and "requests in flight" in docs/configuration.md`,
    ),
  );
  const warnOfSilent = occasionally((count) =>
    options.logger.warn(
      `${count} connections on which nothing was asked were closed to make room: see CONNECTIONS_MAX in docs/configuration.md`,
    ),
  );
  const enter = (address: string | undefined): ConnectionRefusal | 'pipelining' | undefined => {
    if (address !== undefined && turns.isPenalized(address, performance.now())) return 'pipelining';
    const refusal = gate.enter(address);
    if (refusal !== 'in-all' || !unasked.makeRoom(performance.now())) return refusal;
    warnOfSilent();
    return gate.enter(address);
  };
  server.on('request', ({ socket }: IncomingMessage) => unasked.delete(socket));
  let refusedOpen = 0;
  // Node's own listener, which gives the connection to the parser, comes after the gate and not beside it.
  const takers = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    const address = limits.isTrustedPeer(remoteAddress) ? undefined : options.clientAddressOf(remoteAddress);
    const refusal = enter(address);
    if (refusal === undefined) {
      let isIn = true;
      const leave = (): void => {
        if (isIn) gate.leave(address);
        isIn = false;
      };
      unasked.add(socket, performance.now(), leave);
      socket.once('close', () => {
        unasked.delete(socket);
        leave();
      });
      if (address !== undefined) turns.add(address, socket);
      for (const take of takers) Reflect.apply(take, server, [socket]);
      return;
    }
    warnOfRefused();
    if (refusedOpen >= REFUSED_OPEN_MAX) {
      socket.destroy();
      return;
    }
    refusedOpen += 1;
    socket.once('close', () => {
      refusedOpen -= 1;
    });
    refuse(socket, refusal, options);
  });
}

/** An answer that comes before its request would be taken for a broken connection: so it waits for the first bytes. */
function refuse(socket: Socket, refusal: keyof typeof MESSAGES, options: SocketOptions): void {
  const timer = setTimeout(() => socket.destroy(), REFUSED_WAIT_MS).unref();
  socket.on('error', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  socket.once('data', () => {
    clearTimeout(timer);
    const address = options.clientAddressOf(socket.remoteAddress);
    const error = new ApiError('service_unavailable', MESSAGES[refusal], AT_ONCE);
    const decision = options.admission.describeAddress(address);
    options.observer.refusedConnection(error.status);
    endWithError(socket, error, { id: newRequestId(), decision }, options);
    // What is left unread would reset the connection, and take the answer away.
    socket.resume();
  });
}

const MESSAGES: Readonly<Record<ConnectionRefusal | 'pipelining', string>> = {
  pipelining: `More than ${IN_FLIGHT_MAX} requests were sent at once on a connection from this address: retry shortly.`,
  'in-all': 'Too many connections are open: retry shortly.',
  'of-address':
    'Too many connections are open from this address: use one for many requests, and retry shortly.',
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
