import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Transform } from 'node:stream';
import { delayed, dripping, truncating } from './slow-stream.js';
import type { TcpProxyMode, TcpProxyPace } from './tcp-proxy.js';

export type TcpTarget = { readonly path: string } | { readonly host: string; readonly port: number };

/** One connection of a client, with the one that the proxy makes for it. */
export class TcpProxyLink {
  readonly #client: Socket;
  readonly #target: NetConnectOpts;
  readonly #pace: () => TcpProxyPace;
  readonly #onEnd: () => void;
  /** Made when the first byte may pass: through a black hole no connection reaches the server. */
  #upstream: Socket | undefined;
  /** Bytes in flight stay there when the mode changes, and arrive before later ones. */
  readonly #toServer: Transform;
  readonly #toClient: Transform;
  #stranded = false;
  #isTruncating = false;
  #isOpen = false;

  /** @param client half-open, as the other side is, so that an end is a message like any other and waits at a black hole */
  constructor(client: Socket, target: TcpTarget, pace: () => TcpProxyPace, onEnd: () => void) {
    this.#client = client;
    this.#pace = pace;
    this.#toServer = delayed(pace);
    this.#toClient = delayed(pace);
    this.#target = { ...target, allowHalfOpen: true };
    this.#onEnd = onEnd;
    this.#watch(client);
  }

  /** From now on a black hole, whatever the mode. */
  strand(mode: 'strand' | 'half-open'): void {
    this.#stranded = true;
    if (mode === 'half-open') this.#upstream?.destroy();
    this.#isOpen = false;
  }

  apply(mode: TcpProxyMode): void {
    if (mode === 'close' || mode === 'cut') return this.#end();
    halt(this.#client);
    halt(this.#upstream);
    this.#isOpen = !this.#stranded && mode !== 'black-hole';
    if (!this.#isOpen) return;
    const upstream = (this.#upstream ??= this.#connect());
    if (this.#client.destroyed || upstream.destroyed) return this.#end();
    this.#isTruncating = mode === 'truncate';
    this.#client.pipe(this.#toServer);
    if (mode !== 'mute') upstream.pipe(this.#toClient);
  }

  #connect(): Socket {
    const upstream = connect(this.#target);
    this.#watch(upstream);
    this.#toServer.pipe(upstream);
    const breakOff = (): void => {
      if (this.#isTruncating) this.#end();
    };
    this.#toClient
      .pipe(dripping(this.#pace))
      .pipe(truncating(() => this.#isTruncating, breakOff))
      .pipe(this.#client);
    return upstream;
  }

  /** The end of a socket does not pass a black hole either: the other side learns of it when the mode changes. */
  #watch(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (this.#isOpen) this.#end();
    });
  }

  /** A reset, not an orderly end; orderly ends were passed on before. */
  #end(): void {
    // A socket that is shutting down cannot be reset: its handle would stay open, and keep the test run from its end.
    if (this.#client.writableEnded) this.#client.destroy();
    else this.#client.resetAndDestroy();
    this.#upstream?.destroy();
    this.#onEnd();
  }
}

function halt(from: Socket | undefined): void {
  from?.unpipe();
  from?.pause();
}
