import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { TcpProxyMode } from './tcp-proxy.js';

export type TcpTarget = { readonly path: string } | { readonly host: string; readonly port: number };

/** One connection of a client, with the one that the proxy makes for it. */
export class TcpProxyLink {
  readonly #client: Socket;
  readonly #target: NetConnectOpts;
  readonly #onEnd: () => void;
  /** Made when the first byte may pass: through a black hole no connection reaches the server. */
  #upstream: Socket | undefined;
  #stranded = false;
  #isOpen = false;

  /** @param client half-open, as the other side is, so that an end is a message like any other and waits at a black hole */
  constructor(client: Socket, target: TcpTarget, onEnd: () => void) {
    this.#client = client;
    this.#target = { ...target, allowHalfOpen: true };
    this.#onEnd = onEnd;
    this.#watch(client);
  }

  /** From now on a black hole, whatever the mode. */
  strand(): void {
    this.#stranded = true;
  }

  apply(mode: TcpProxyMode): void {
    if (mode === 'refuse' || mode === 'cut') return this.#end();
    halt(this.#client);
    halt(this.#upstream);
    this.#isOpen = !this.#stranded && mode !== 'black-hole';
    if (!this.#isOpen) return;
    const upstream = (this.#upstream ??= this.#connect());
    if (this.#client.destroyed || upstream.destroyed) return this.#end();
    this.#client.pipe(upstream);
    if (mode !== 'mute') upstream.pipe(this.#client);
  }

  #connect(): Socket {
    const upstream = connect(this.#target);
    this.#watch(upstream);
    return upstream;
  }

  /** What closes a socket passes no black hole either: the other side learns of it when the mode changes. */
  #watch(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (this.#isOpen) this.#end();
    });
  }

  /** A reset, not an orderly end; orderly ends were passed on before. */
  #end(): void {
    this.#client.resetAndDestroy();
    this.#upstream?.destroy();
    this.#onEnd();
  }
}

function halt(from: Socket | undefined): void {
  from?.unpipe();
  from?.pause();
}
