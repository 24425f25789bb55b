import type { Socket } from 'node:net';

/** How long new connections of an address are rejected after one of its connections sent too many requests at once. */
const PENALTY_MS = 1000;

/** Node.js parses all 64 KiB of a read, about 10 ms of work for 1,700 requests: so they may take a fifth of the time. */
const TURN_MS = 50;

interface Address {
  readonly open: Set<Socket>;
  /** Paused ones, the next first. */
  readonly paused: Set<Socket>;
  penaltyUntilMs: number;
  turns: NodeJS.Timeout | undefined;
}

/**
 * Keeps a client address that sends more requests at once than a connection may have in flight from taking the event loop. Its
 * other connections are read one after another, one every `TURN_MS`, and it gets no new ones for `PENALTY_MS`.
 */
export class AddressTurns {
  readonly #addresses = new Map<string, Address>();
  readonly #addressOf = new WeakMap<Socket, Address>();

  /** To be called with each open connection; it is forgotten when it closes. */
  add(name: string, socket: Socket): void {
    const address = this.#addresses.get(name) ?? newAddress();
    this.#addresses.set(name, address);
    this.#addressOf.set(socket, address);
    address.open.add(socket);
    socket.once('close', () => {
      address.open.delete(socket);
      address.paused.delete(socket);
      this.#forget(name, address);
    });
  }

  /** Whether the address gets no new connection now. */
  isPenalized(name: string, nowMs: number): boolean {
    const address = this.#addresses.get(name);
    return address !== undefined && nowMs < address.penaltyUntilMs;
  }

  /** To be called with a connection that sent too many requests. One that was never added is left alone. */
  penalize(socket: Socket, nowMs: number): void {
    const address = this.#addressOf.get(socket);
    if (address === undefined) return;
    address.penaltyUntilMs = nowMs + PENALTY_MS;
    address.open.delete(socket);
    address.paused.delete(socket);
    for (const other of address.open) {
      if (address.paused.has(other)) continue;
      stopReading(other);
      address.paused.add(other);
    }
    address.turns ??= setInterval(() => this.#takeTurn(address), TURN_MS).unref();
  }

  /** Addresses that are known: none when nothing is open and no penalty stands. */
  get addressCount(): number {
    return this.#addresses.size;
  }

  #takeTurn(address: Address): void {
    const [next] = address.paused;
    if (next === undefined) {
      clearInterval(address.turns);
      address.turns = undefined;
      return;
    }
    address.paused.delete(next);
    readAgain(next);
  }

  #forget(name: string, address: Address): void {
    if (address.open.size > 0) return;
    const leftMs = address.penaltyUntilMs - performance.now();
    if (leftMs > 0) setTimeout(() => this.#forget(name, address), leftMs).unref();
    else if (this.#addresses.get(name) === address) {
      clearInterval(address.turns);
      this.#addresses.delete(name);
    }
  }
}

const newAddress = (): Address => ({
  open: new Set(),
  paused: new Set(),
  penaltyUntilMs: -Infinity,
  turns: undefined,
});

/**
 * Stops reading a connection, also while Node.js parses what it has read of it. `pause` alone does not hold: Node.js resumes the
 * socket at the end of each request.
 */
export function stopReading(socket: Socket): void {
  socket.on('resume', pause);
  socket.pause();
}

/** Reads a connection again on which `stopReading` was called. */
function readAgain(socket: Socket): void {
  socket.off('resume', pause);
  socket.resume();
}

function pause(this: Socket): void {
  this.pause();
}
