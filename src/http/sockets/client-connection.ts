import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { RequestQueue } from './request-queue.js';

/** Node.js parses all its input at once: 64 KiB are 1,700 requests, 2 KiB at most 75. */
const PIECE_BYTES = 2048;

/** How long a client has to read the last response: closing with bytes of it unread would reset the connection. */
const LINGER_MS = 1000;

const NOTHING = Buffer.alloc(0);

/**
 * A connection as Node's HTTP server sees it. It passes on what the client sends in small pieces, and nothing after the last request
 * that is dispatched, so a client that sends thousands of requests at once neither fills memory nor delays others.
 */
export class ClientConnection extends Duplex {
  readonly requests = new RequestQueue(this);
  readonly remoteAddress: string | undefined;
  /** Whether further input is dropped. */
  isInputIgnored = false;
  /** Whether the next request line is still incomplete. */
  isInFirstLine = true;
  readonly #socket: Socket;
  /** Received and not passed on yet. */
  #received: Buffer;
  /** Whether the server wants to read. */
  #isWanted = false;

  /** @throws Error if the server got the connection from elsewhere */
  static of(connection: Duplex): ClientConnection {
    if (connection instanceof ClientConnection) return connection;
    throw new Error('an HTTP connection that the service has not accepted');
  }

  /** @param received what the client has sent so far */
  constructor(socket: Socket, received: Buffer) {
    super({ decodeStrings: false, readableHighWaterMark: PIECE_BYTES });
    this.#socket = socket;
    this.#received = received;
    this.remoteAddress = socket.remoteAddress;
    this.on('data', (piece: Buffer) => {
      if (this.requests.arriving === undefined && piece.includes('\n')) this.isInFirstLine = false;
    });
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('end', () => this.#passOn());
    socket.on('timeout', () => this.emit('timeout'));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  ignoreInput(): void {
    this.isInputIgnored = true;
    this.#received = NOTHING;
    this.#socket.pause();
  }

  dispatch(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
    this.isInFirstLine = true;
    this.requests.add({ request, response, handle });
  }

  /** Ends the connection when everything has been written, and the client has had the time to read it (RFC 9112 section 9.6). */
  destroySoon(): void {
    this.ignoreInput();
    this.end();
    this.#socket.resume();
    const timer = setTimeout(() => this.destroy(), LINGER_MS).unref();
    this.once('close', () => clearTimeout(timer));
  }

  /** Emits `timeout` after `timeoutMs` without a byte in either direction, as a socket does. */
  setTimeout(timeoutMs: number): this {
    this.#socket.setTimeout(timeoutMs);
    return this;
  }

  override _read(): void {
    this.#isWanted = true;
    this.#passOn();
  }

  override _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk as string | Uint8Array, encoding, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: unknown; readonly encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#socket.cork();
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      this._write(chunk, encoding, index === chunks.length - 1 ? done : () => undefined);
    }
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(bytes: Buffer): void {
    if (this.isInputIgnored) return;
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    this.#passOn();
    if (this.#received.length > 0) this.#socket.pause();
  }

  #passOn(): void {
    if (!this.#isWanted || this.isInputIgnored) return;
    // Nothing is dispatched after the last request.
    if (this.requests.isClosing && this.requests.arriving === undefined) return;
    if (this.#received.length > 0) {
      const piece = this.#received.subarray(0, PIECE_BYTES);
      // An empty subarray would keep the whole buffer in memory.
      this.#received = this.#received.length > PIECE_BYTES ? this.#received.subarray(PIECE_BYTES) : NOTHING;
      this.#isWanted = false;
      this.push(piece);
    } else if (this.#socket.readableEnded) {
      this.#isWanted = false;
      this.push(null);
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }
}
