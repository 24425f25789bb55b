import type { Socket } from 'node:net';

export interface ConnectionMaxima {
  /** Open connections in all. */
  readonly connectionsMax: number;
  /** Open connections of one client address. */
  readonly connectionsPerAddressMax: number;
}

/** Why a connection is not taken. */
export type ConnectionRefusal = 'in-all' | 'of-address';

/** Counts the open connections, in all and by address. */
export class ConnectionGate {
  readonly #maxima: ConnectionMaxima;
  readonly #ofAddress = new Map<string, number>();
  #inAll = 0;

  constructor(maxima: ConnectionMaxima) {
    this.#maxima = maxima;
  }

  /**
   * Counts a connection in, or says why it is one too many; a refused one is not counted. `leave` it when it closes.
   *
   * @param address undefined for a proxy, which many clients share: it counts in all alone
   */
  enter(address: string | undefined): ConnectionRefusal | undefined {
    if (this.#inAll >= this.#maxima.connectionsMax) return 'in-all';
    if (address !== undefined) {
      const open = this.#ofAddress.get(address) ?? 0;
      if (open >= this.#maxima.connectionsPerAddressMax) return 'of-address';
      this.#ofAddress.set(address, open + 1);
    }
    this.#inAll += 1;
    return undefined;
  }

  leave(address: string | undefined): void {
    this.#inAll -= 1;
    if (address === undefined) return;
    const open = this.#ofAddress.get(address) ?? 0;
    if (open > 1) this.#ofAddress.set(address, open - 1);
    else this.#ofAddress.delete(address);
  }

  /** Addresses that have connections: none when nothing is open, so that strangers who came and went take no room. */
  get addressCount(): number {
    return this.#ofAddress.size;
  }
}

/** A client that sends a request does so at once; a second is for its network. */
const SILENT_MS = 1000;

interface Unasked {
  readonly openedAtMs: number;
  readonly leave: () => void;
}

/** The open connections on which nothing was asked yet, the earliest first. */
export class UnaskedConnections {
  readonly #connections = new Map<Socket, Unasked>();

  /** @param leave gives back the place of the connection */
  add(socket: Socket, nowMs: number, leave: () => void): void {
    this.#connections.set(socket, { openedAtMs: nowMs, leave });
  }

  /** It has asked something, or is closed. */
  delete(socket: Socket): void {
    this.#connections.delete(socket);
  }

  /** Closes the one that has been silent longest, once it had the time to ask. Returns whether its place is free now. */
  makeRoom(nowMs: number): boolean {
    const [first] = this.#connections;
    if (first === undefined) return false;
    const [socket, { openedAtMs, leave }] = first;
    if (nowMs - openedAtMs < SILENT_MS) return false;
    this.#connections.delete(socket);
    leave(); // "close" comes later
    socket.destroy();
    return true;
  }
}
