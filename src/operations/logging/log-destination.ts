import { write, writeSync } from 'node:fs';
import { maskKeys } from './mask-keys.js';

export interface LogDestinationOptions {
  /** The file descriptor: 2 is standard error. */
  readonly fd: number;
  /** What waits at most, in characters; past it lines are dropped, and it is told how many. */
  readonly waitingMax?: number;
}

/** Written at once when so much is there: a thousandth of a second of lines at full load, and few system calls. */
const CHUNK = 65_536;

/** How long a line waits for others: nobody who watches notices, and one write serves hundreds of requests. */
const WAIT_MS = 50;

/** Five seconds of lines at full load. Then it is better to serve without a log than to run out of memory. */
const WAITING_MAX = 33_554_432;

/** What takes no more bytes right now (a pipe that is full) is asked again after this time. */
const RETRY_MS = 20;

/**
 * Where log lines go. Writing never waits for whoever reads them: lines are gathered and written by another thread, what
 * cannot be written waits in bounded memory, and at the exit, also after a crash, the rest is written at once. No API key
 * gets past it, whoever writes the line.
 */
export class LogDestination {
  readonly #fd: number;
  readonly #waitingMax: number;
  #text = '';
  #isWriting = false;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #written: (() => void)[] = [];

  constructor({ fd, waitingMax = WAITING_MAX }: LogDestinationOptions) {
    this.#fd = fd;
    this.#waitingMax = waitingMax;
  }

  /** @param line with its line end */
  write(line: string): void {
    if (this.#text.length > this.#waitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#text += line;
    this.#writeSoon();
  }

  /** Resolves when everything that was written until now is out, or cannot be. */
  async flush(): Promise<void> {
    if (this.#text === '' && !this.#isWriting) return;
    const done = new Promise<void>((resolve) => this.#written.push(resolve));
    this.#writeOut();
    await done;
  }

  /** For the exit of the process, when nothing else can run any more. */
  flushSync(): void {
    let rest = Buffer.from(this.#take());
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(this.#fd, rest));
    } catch {
      // Nobody reads: there is nobody to tell, either.
    }
  }

  #writeSoon(): void {
    if (this.#text.length >= CHUNK) this.#writeOut();
    else if (this.#timer === undefined) this.#timer = setTimeout(this.#onTimer, WAIT_MS).unref();
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#writeOut();
  };

  #writeOut(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#writeBytes(Buffer.from(this.#take()));
  }

  #writeBytes(bytes: Buffer): void {
    write(this.#fd, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => this.#writeBytes(bytes), RETRY_MS);
      } else if (error === null && written < bytes.length) {
        this.#writeBytes(bytes.subarray(written));
      } else {
        this.#isWriting = false;
        this.#goOn();
      }
    });
  }

  #goOn(): void {
    if (this.#text === '') for (const resolve of this.#written.splice(0)) resolve();
    else if (this.#written.length > 0) this.#writeOut();
    else this.#writeSoon();
  }

  #take(): string {
    // All at once: line by line it would take a fifth of all that a line costs.
    const text = maskKeys(this.#text);
    this.#text = '';
    if (this.#dropped === 0) return text;
    const told = {
      level: 40,
      time: new Date().toISOString(),
      msg: `${this.#dropped} log lines were dropped`,
    };
    this.#dropped = 0;
    return `${text}${JSON.stringify(told)}\n`;
  }
}
