import { connect, type Socket } from 'node:net';
import { expect } from '@jest/globals';

/** A response as it came over the wire: header names in lower case, each with all its values. */
export interface WireResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
  /** When its connection was opened, in ms: the response is not older. */
  readonly openedAtMs: number;
}

/** Far beyond any response that is on its way, also on a busy machine. */
const TIMEOUT_MS = 250_000;

/** One connection to a service, byte by byte: it sends bytes as they are and reads one response after another. */
export class Connection {
  readonly #socket: Socket;
  readonly #openedAtMs = Date.now();
  #received: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake = (): void => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#wake();
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
    // A reset closes the connection, too; what it cut off shows as a response that is not whole.
    socket.on('error', () => undefined);
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket)));
    });
  }

  /** Opens one for as long as `use` takes, so that no connection of a failed test keeps the service from closing. */
  static async with<Result>(port: number, use: (connection: Connection) => Promise<Result>): Promise<Result> {
    const connection = await Connection.open(port);
    try {
      return await use(connection);
    } finally {
      connection.close();
    }
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(bytes);
  }

  /** The next response, whole. That to a HEAD has no body, whatever its headers say. */
  async response({ isHead = false }: { readonly isHead?: boolean | undefined } = {}): Promise<WireResponse> {
    for (;;) {
      const taken = takeResponse(this.#received, isHead);
      if (taken !== undefined) {
        this.#received = taken.rest;
        return { ...taken.response, openedAtMs: this.#openedAtMs };
      }
      if (this.#isClosed) throw new Error(`closed without a whole response: ${this.#text}`);
      await this.#change();
    }
  }

  /** Waits until the service has closed the connection, and returns the bytes that no response took. */
  async closed(): Promise<string> {
    while (!this.#isClosed) await this.#change();
    return this.#text;
  }

  close(): void {
    this.#socket.destroy();
  }

  get #text(): string {
    return this.#received.toString('latin1');
  }

  #change(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`nothing came after: ${this.#text}`)), TIMEOUT_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Sends bytes on a connection of their own, and returns the final response. */
export const sendRaw = (
  port: number,
  bytes: string | Buffer,
  options: { readonly isHead?: boolean } = {},
): Promise<WireResponse> =>
  Connection.with(port, async (connection) => {
    connection.send(bytes);
    const response = await connection.response(options);
    return response.status === 100 ? await connection.response(options) : response;
  });

/** The same for several requests: the responses, at most `max`, until the service closes the connection. */
export const sendRawUpTo = (port: number, bytes: string | Buffer, max: number): Promise<WireResponse[]> =>
  Connection.with(port, async (connection) => {
    const responses: WireResponse[] = [];
    connection.send(bytes);
    while (responses.length < max) {
      const next = await connection.response().catch(() => undefined);
      if (next === undefined) break;
      if (next.status !== 100) responses.push(next);
    }
    return responses;
  });

/** The value of a header that must be there exactly once. */
export function only({ headers }: Pick<WireResponse, 'headers'>, name: string): string {
  const values = headers.get(name) ?? [];
  expect({ [name]: values }).toEqual({ [name]: [expect.any(String)] });
  return values[0] ?? '';
}

/** The response at the start of the bytes, if it is there as a whole. Anything but HTTP/1.1 with a length is an error. */
function takeResponse(
  bytes: Buffer,
  isHead: boolean,
): { response: Omit<WireResponse, 'openedAtMs'>; rest: Buffer } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]+$/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${statusLine}`);
  const headers = new Map<string, readonly string[]>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`no header line: ${line}`);
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  const hasBody = !isHead && status >= 200 && status !== 204 && status !== 304;
  const length = hasBody ? Number(headers.get('content-length')?.[0]) : 0;
  if (Number.isNaN(length)) throw new Error(`no length: ${lines.join(' | ')}`);
  const end = headEnd + 4 + length;
  if (bytes.length < end) return undefined;
  const body = bytes.subarray(headEnd + 4, end).toString('utf8');
  return { response: { status, headers, body }, rest: bytes.subarray(end) };
}
