import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire: header names in lower case, each with all its values. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

/** A deadline for bytes that never come: far beyond any response that is on its way, also on a busy machine. */
const PATIENCE_MS = 60_000;

/** One connection to the service, byte by byte: it sends what it is given and reads one answer after another. */
export class Connection {
  readonly #socket: Socket;
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
    // A reset closes the connection, too; what it cut off shows as an answer that is not whole.
    socket.on('error', () => undefined);
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => resolve(new Connection(socket)));
    });
  }

  /** Opens one for as long as `use` takes: whatever becomes of the test, no connection keeps the service from closing. */
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

  /** The next answer, whole. That to a HEAD has no body, whatever its headers say. */
  async answer({ isHead = false }: { readonly isHead?: boolean | undefined } = {}): Promise<WireAnswer> {
    for (;;) {
      const taken = takeAnswer(this.#received, isHead);
      if (taken !== undefined) {
        this.#received = taken.rest;
        return taken.answer;
      }
      if (this.#isClosed) throw new Error(`closed without a whole answer: ${this.#text}`);
      await this.#change();
    }
  }

  /** Waits until the service has closed the connection; the bytes that no answer took. */
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
      const timer = setTimeout(
        () => reject(new Error(`nothing came in time after: ${this.#text}`)),
        PATIENCE_MS,
      );
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** The answer at the start of the bytes, if it is there as a whole. Anything but HTTP/1.1 with a length is a fault. */
function takeAnswer(bytes: Buffer, isHead: boolean): { answer: WireAnswer; rest: Buffer } | undefined {
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
  return { answer: { status, headers, body }, rest: bytes.subarray(end) };
}
