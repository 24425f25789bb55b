import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests of one connection that wait for the one before them. Browsers do not pipeline; load generators send 10 at a time. */
export const WAITING_MAX = 16;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly handle: RequestListener;
}

/**
 * The requests of one connection, which run one after another: the next is dispatched when the response to the one before has been
 * sent. Nothing is dispatched after a response that closes the connection (RFC 9112 section 9.6).
 */
export class RequestQueue {
  #running: Exchange | undefined;
  readonly #waiting: Exchange[] = [];
  /** Whether further requests are dropped. */
  isClosing = false;
  #afterLast: (() => void) | undefined;

  constructor(private readonly connection: Duplex) {}

  /** Dispatches or queues a request. Once 16 are waiting, all further ones are dropped. */
  add(exchange: Exchange): void {
    if (this.isClosing) return;
    this.isClosing = this.#waiting.length >= WAITING_MAX || endsConnection(exchange.request);
    if (this.#running === undefined) this.#run(exchange);
    else if (this.#waiting.length < WAITING_MAX) this.#waiting.push(exchange);
  }

  /** Whether a response has been passed to the connection but not fully sent. */
  get isSending(): boolean {
    return this.#running?.response.writableEnded === true;
  }

  /** The request whose body is still arriving. */
  get arriving(): IncomingMessage | undefined {
    const { request } = this.#waiting.at(-1) ?? this.#running ?? {};
    return request?.complete === false ? request : undefined;
  }

  /** Whether a response that is about to be sent must close the connection, because no request is dispatched after it. */
  isLast(isStopping: boolean): boolean {
    if (this.#waiting.length > 0 || this.#afterLast !== undefined) return false;
    this.isClosing ||= isStopping;
    return this.isClosing;
  }

  /** Drops further requests, and calls `act` after all earlier responses. */
  closeWith(act: () => void): void {
    this.isClosing = true;
    if (this.#running !== undefined) this.#afterLast = act;
    else if (this.connection.writable) act();
  }

  #run(exchange: Exchange): void {
    this.#running = exchange;
    exchange.response.once('close', this.#onResponseClosed);
    exchange.handle(exchange.request, exchange.response);
  }

  readonly #onResponseClosed = (): void => {
    // One request per turn of the event loop: a client that pipelines must not delay others.
    if (this.#waiting.length > 0) setImmediate(this.#next);
    else this.#next();
  };

  readonly #next = (): void => {
    this.#running = undefined;
    if (!this.connection.writable) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#run(next);
    else this.#afterLast?.();
  };
}

/**
 * Whether a request is the last of its connection: it says so, or the bytes that follow may not be a request. Node.js
 * skips bytes after an upgrade request, and other programs may see another end of a chunked HTTP/1.0 body (RFC 9112
 * sections 6.1 and 9.3).
 */
function endsConnection({ headers, httpVersion }: IncomingMessage): boolean {
  const { connection = '', upgrade, 'transfer-encoding': coding } = headers;
  if (upgrade !== undefined || /\bclose\b/i.test(connection)) return true;
  if (httpVersion === '1.1') return false;
  return httpVersion !== '1.0' || coding !== undefined || !/\bkeep-alive\b/i.test(connection);
}
