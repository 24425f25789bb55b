import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { stopReading } from './address-turns.js';

/** Requests of one connection that wait for their responses. Browsers do not pipeline; load generators send 10 at a time. */
export const IN_FLIGHT_MAX = 16;

/** Bytes of responses that one connection may have waiting in the process for a client that does not read them. */
export const UNSENT_BYTES_MAX = 256 * 1024;

/** A client that reads takes 256 KiB in far less time, also through a slow network. */
const STALLED_MS = 5000;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Held extends Exchange {
  readonly handle: RequestListener;
}

/**
 * The requests in flight on one connection.
 *
 * - At most `IN_FLIGHT_MAX` are in flight. One more closes the connection: those in flight get their responses, the last with
 *   `Connection: close`; what is behind them is dropped undispatched, as RFC 9112 section 9.3.2 has clients expect.
 * - A request that may change something is dispatched when all responses before it have been sent, and nothing behind it before
 *   its own has. So nothing is ever executed behind a response that closes the connection (RFC 9112 section 9.6).
 * - The responses passed to Node.js hold at most `UNSENT_BYTES_MAX`, or one response if it alone is larger.
 * - A client that takes no response for `STALLED_MS` while others wait for it loses its connection.
 */
export class ConnectionRequests {
  readonly #socket: Socket;
  readonly #onExcess: (socket: Socket) => void;
  /** In order of arrival. Requests whose responses have been sent leave with the next event. */
  #inFlight: Exchange[] = [];
  /** Those at the end of `#inFlight` that are not dispatched yet. */
  readonly #held: Held[] = [];
  /** Responses that wait for room, by their requests. */
  readonly #waiting = new Map<IncomingMessage, { bytes: number; send: () => void }>();
  #latest: Exchange | undefined;
  #isClosing = false;
  #isIgnoringRest = false;
  #stalled: NodeJS.Timeout | undefined;

  constructor(socket: Socket, onExcess: (socket: Socket) => void) {
    this.#socket = socket;
    this.#onExcess = onExcess;
  }

  /** The request that was accepted last, also when its response has been sent. */
  get latest(): Exchange | undefined {
    return this.#latest;
  }

  /** Whether what arrives from here on is ignored. */
  get isClosing(): boolean {
    return this.#isClosing || !this.#socket.writable;
  }

  /** Passes a request on to `handle` in its turn, or drops it. */
  add(exchange: Exchange, handle: RequestListener, isStopping: boolean): void {
    this.#forgetSent();
    const { request, response } = exchange;
    const count = this.#inFlight.length;
    const isExcess = count >= IN_FLIGHT_MAX;
    if (this.isClosing || isExcess || (isStopping && count > 0)) {
      if (isExcess && !this.#isClosing) this.#onExcess(this.#socket);
      this.#ignoreRest();
      return;
    }
    if (count > 0) {
      if (count === 1) this.#inFlight[0]?.response.once('close', this.#advance);
      response.once('close', this.#advance);
    }
    this.#inFlight.push(exchange);
    this.#latest = exchange;
    if (endsConnection(request)) this.#close();
    if (count === 0) handle(request, response);
    else {
      this.#held.push({ ...exchange, handle });
      this.#dispatchHeld();
    }
  }

  /** Whether nothing behind this request will be dispatched. */
  isLast(request: IncomingMessage, isStopping: boolean): boolean {
    if (!this.#isClosing && !isStopping) return false;
    if (this.#last?.request !== request) return false;
    this.#close();
    return true;
  }

  /** Calls `send` as soon as the response fits, or the connection is gone. Returns whether that was at once. */
  whenRoom(request: IncomingMessage, payload: unknown, send: () => void): boolean {
    const bytes = this.#inFlight.length <= 1 || !this.#socket.writable ? 0 : byteLength(payload);
    if (bytes === 0 || this.#hasRoom(request, bytes)) {
      send();
      return true;
    }
    this.#waiting.set(request, { bytes, send });
    this.#watch();
    return false;
  }

  /** Calls `act` when all requests so far have their responses. */
  afterLast(act: () => void): void {
    this.#forgetSent();
    if (this.#last === undefined || !this.#socket.writable) act();
    else this.#last.response.once('close', act);
  }

  /** A response has been sent, or the connection is gone. */
  readonly #advance = (): void => {
    this.#forgetSent();
    if (!this.#socket.writable) {
      // Nothing is dispatched behind the response that closes the connection.
      this.#held.length = 0;
    }
    this.#sendWaiting();
    this.#dispatchHeld();
    if (this.#isClosing && this.#last === undefined) this.#socket.destroySoon();
    if (this.#stalled === undefined) return;
    if (this.#isClosing || this.#isFull) this.#stalled.refresh();
    else this.#unwatch();
  };

  /** Drops what follows. Node.js still parses the rest of what it has read. */
  #ignoreRest(): void {
    this.#close();
    if (this.#isIgnoringRest) return;
    this.#isIgnoringRest = true;
    stopReading(this.#socket);
  }

  /** Accepts no more requests, and closes the connection behind the last response. */
  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#forgetSent();
    this.#watch();
    if (this.#last === undefined) this.#socket.destroySoon();
    else this.#last.response.once('close', this.#advance);
  }

  get #last(): Exchange | undefined {
    return this.#inFlight.at(-1);
  }

  #forgetSent(): void {
    const firstUnsent = this.#inFlight.findIndex(({ response }) => !isSent(response));
    if (firstUnsent === -1) this.#inFlight = [];
    else if (firstUnsent > 0) this.#inFlight.splice(0, firstUnsent);
  }

  #dispatchHeld(): void {
    for (let [next] = this.#held; next !== undefined; [next] = this.#held) {
      const before = this.#inFlight[this.#inFlight.length - this.#held.length - 1];
      if (before !== undefined && !(isSafe(before.request) && isSafe(next.request))) return;
      if (before !== undefined && this.#isFull) return this.#watch();
      this.#held.shift();
      next.handle(next.request, next.response);
    }
  }

  #sendWaiting(): void {
    for (const [request, { bytes, send }] of this.#waiting) {
      if (this.#socket.writable && !this.#hasRoom(request, bytes)) continue;
      this.#waiting.delete(request);
      send();
    }
  }

  #hasRoom(request: IncomingMessage, bytes: number): boolean {
    return this.#inFlight[0]?.request === request || this.#unsentBytes + bytes <= UNSENT_BYTES_MAX;
  }

  /** Whether responses wait for the client to read the ones before them. */
  get #isFull(): boolean {
    return this.#waiting.size > 0 || this.#unsentBytes >= UNSENT_BYTES_MAX;
  }

  get #unsentBytes(): number {
    return this.#inFlight.reduce((sum, { response }) => sum + response.writableLength, 0);
  }

  #watch(): void {
    if (this.#stalled !== undefined || this.#socket.destroyed) return;
    this.#stalled = setTimeout(this.#onStalled, STALLED_MS).unref();
    this.#socket.once('close', this.#onClosed);
  }

  readonly #onStalled = (): void => {
    // Nothing to read yet: a body may still be arriving.
    if (this.#unsentBytes === 0) this.#stalled?.refresh();
    else this.#socket.destroy();
  };

  #unwatch(): void {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#socket.off('close', this.#onClosed);
  }

  readonly #onClosed = (): void => {
    this.#unwatch();
    this.#advance();
  };
}

/** Sent, and no longer the one that its socket writes. */
const isSent = (response: ServerResponse): boolean => response.writableFinished && response.socket === null;

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

const isSafe = ({ method }: IncomingMessage): boolean => SAFE_METHODS.has(method);

/**
 * Whether nothing behind a request can be trusted to be one: Node.js skips bytes behind a request that asks to upgrade, and other
 * programs may end a body of HTTP/1.0 with chunks elsewhere (RFC 9112 section 6.1).
 */
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers.upgrade !== undefined) return true;
  return httpVersion !== '1.1' && (httpVersion !== '1.0' || headers['transfer-encoding'] !== undefined);
}

function byteLength(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return payload instanceof Uint8Array ? payload.length : 0;
}
